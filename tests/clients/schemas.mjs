// tests/clients/schemas.mjs - every schema in the tool descriptions for agents compiles in ajv, and
// every pattern of the OpenAPI document is one of ECMAScript. Reads {tools, openapi} on standard
// input; prints what does not.
import { text } from "node:stream/consumers";
import Ajv2020 from "ajv/dist/2020.js";

const { tools, openapi } = JSON.parse(await text(process.stdin));
const faults = [];

function attempt(what, run) {
  try {
    run();
  } catch (error) {
    faults.push(`${what}: ${error.message}`);
  }
}

for (const tool of tools) {
  for (const schema of [tool.inputSchema, tool.outputSchema].filter(Boolean)) {
    attempt(tool.name, () => new Ajv2020.default({ strict: true, allowUnionTypes: false }).compile(schema));
  }
}

let patterns = 0;
function look(node, path) {
  if (node === null || typeof node !== "object") return;
  if (typeof node.pattern === "string") {
    patterns += 1;
    attempt(`${path}/pattern`, () => new RegExp(node.pattern, "u"));
  }
  for (const [name, inner] of Object.entries(node)) look(inner, `${path}/${name}`);
}
look(openapi, "");
console.log(JSON.stringify({ faults, schemas: tools.length, patterns }));
