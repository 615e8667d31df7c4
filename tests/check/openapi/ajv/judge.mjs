// tests/check/openapi/ajv/judge.mjs - ajv's verdicts for openapi-diff.py: for each line of standard
// input {holds, fails, values, isText, witness}, a line {difference, witness}: the index of the
// first value that only `holds` accepts, or -1; and whether only `holds` accepts the witness, or
// null
// without a witness.
import readline from "node:readline";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false });
addFormats(ajv);
ajv.addFormat("float", true).addFormat("double", true);
ajv.addFormat("int32", { type: "number", validate: (n) => Number.isInteger(n) && n >= -(2 ** 31) && n < 2 ** 31 });
ajv.addFormat("int64", { type: "number", validate: (n) => Number.isInteger(n) && n >= -(2 ** 63) && n < 2 ** 63 });

// Outside of JSON, a value is a text, and a text may be a value.
const map = (value, change) =>
  Array.isArray(value) ? value.map((item) => map(item, change))
    : value && typeof value === "object"
      ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(item, change)]))
      : change(value);
const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const asValue = (value) => {
  if (typeof value !== "string" || !/^(true|false|null|-?\d.*)$/.test(value)) return value;
  try { return JSON.parse(value); } catch { return value; }
};
const readings = (value, isText) =>
  isText ? [value, map(value, asText), map(value, asValue)] : [value];

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { holds, fails, values, isText, witness } = JSON.parse(line);
  const accepts = ajv.compile(holds);
  const refuses = ajv.compile(fails);
  const differs = (value) => accepts(value) && !readings(value, isText).some((one) => refuses(one));
  console.log(JSON.stringify({
    difference: values.findIndex(differs),
    witness: witness === null ? null : differs(JSON.parse(witness)),
  }));
}
