// tests/clients/sdk.mjs - the official SDKs as hosts use them: every tool of each group, by its
// first example, with outputSchema; and how they handle rejections. Reads a job as JSON on standard
// input, prints the results.
//     {library: "sdk" | "client", mode: "legacy" | "auto" | {"pin": …}, url, token,
//      groups: {group: [[tool, arguments], …]}}
import { text } from "node:stream/consumers";

const job = JSON.parse(await text(process.stdin));

async function libraryOf(name) {
  if (name === "client") return await import("@modelcontextprotocol/client");
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  return { Client, StreamableHTTPClientTransport };
}

const { Client, StreamableHTTPClientTransport } = await libraryOf(job.library);

async function connect(query, token = job.token) {
  const options = job.library === "client" ? { versionNegotiation: { mode: job.mode } } : {};
  const client = new Client({ name: `check-clients ${job.library}`, version: "1" }, options);
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(job.url + query), { requestInit: { headers } }));
  return client;
}

async function failure(run) {
  try {
    await run();
    return "none";
  } catch (error) {
    return String(error.message ?? error);
  }
}

const answer = { listed: [], results: {} };
for (const [group, calls] of Object.entries(job.groups)) {
  const client = await connect(`?groups=${group}&output=schema`);
  const { tools } = await client.listTools();
  answer.listed.push(...tools.map((tool) => tool.name));
  for (const [tool, args] of calls) {
    try {
      const result = await client.callTool({ name: tool, arguments: args });
      answer.results[tool] = { isError: result.isError ?? false, said: result.content.at(-1).text?.slice(0, 200) };
    } catch (error) {
      answer.results[tool] = { isError: true, said: `thrown: ${error.message}` };
    }
  }
  await client.close();
}

const client = await connect("?tools=hash-generate");
const refused = await client.callTool({ name: "hash-generate", arguments: {} });
answer.refusal = { isError: refused.isError, said: refused.content[0].text };
answer.unknown = await failure(async () => await client.callTool({ name: "no-such-tool", arguments: {} }));
await client.close();
answer.other = await failure(async () => await connect("", "tg_live_" + "a".repeat(38)));
answer.badFilter = await failure(async () => await connect("?group=utils"));
console.log(JSON.stringify(answer));
