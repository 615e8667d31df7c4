// tests/check/kubernetes/validate.mjs FILE - read a list of Kubernetes objects (JSON), and print
// what is wrong with each. Two judges, because neither knows all:
//   the schemas of the API and of the operators    types, formats, required fields, enumerations
//   TypeScript's declarations of the same          unknown fields, which a cluster ignores in silence
import { readFileSync, writeFileSync } from "node:fs";
import ts from "typescript";

const packages = [
    [/^monitoring\.coreos\.com\//, "@kubernetes-models/prometheus-operator"],
    [/^[^/.]*(\.k8s\.io)?(\/|$)|^(apps|batch|policy|autoscaling)\//, "kubernetes-models"],
];

function moduleOf(apiVersion) {
    const found = packages.find(([pattern]) => pattern.test(apiVersion));
    return found && `${found[1]}/${apiVersion}`;
}

async function problemsOfSchema(object) {
    const name = moduleOf(object.apiVersion);
    if (!name)
        return [`no package knows ${object.apiVersion}`];
    const models = await import(name);
    if (!models[object.kind])
        return [`${name} has no ${object.kind}`];
    try {
        new models[object.kind](object).validate();
        return [];
    } catch (why) {
        return [why.message];
    }
}

function problemsOfTypes(objects) {
    const file = new URL("objects.ts", import.meta.url).pathname;
    const lines = objects.map((object, i) => {
        const name = moduleOf(object.apiVersion);
        return `import { I${object.kind} as T${i} } from "${name}/${object.kind}";\n`
            + `export const o${i}: T${i} = ${JSON.stringify(object)};`;
    });
    writeFileSync(file, lines.join("\n"));
    const program = ts.createProgram([file], {
        noEmit: true, strict: true, skipLibCheck: true, types: [],
        module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ES2022,
    });
    return ts.getPreEmitDiagnostics(program).map(problem => {
        const line = problem.file && problem.start !== undefined
            ? problem.file.getLineAndCharacterOfPosition(problem.start).line : 0;
        const object = objects[Math.floor(line / 2)];
        return [object, ts.flattenDiagnosticMessageText(problem.messageText, " ")];
    });
}

const objects = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const found = [];
for (const object of objects)
    for (const problem of await problemsOfSchema(object))
        found.push([object, problem]);
found.push(...problemsOfTypes(objects));
for (const [object, problem] of found)
    console.log(`${object.kind} ${object.metadata.name}: ${problem}`);
