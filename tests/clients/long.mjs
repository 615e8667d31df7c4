// tests/clients/long.mjs - long calls with the official SDKs: progress keeps a call alive beyond
// the SDK's timeout, and a call is cancelled. Reads a job as JSON on standard input, prints the
// results.
//     {library: "sdk" | "client", mode: "legacy" | {"pin": …}, url, token, tool, arguments,
//      timeout_ms, listens: whether to progress, cancel_after: events of progress, or null}
import { text } from "node:stream/consumers";

const job = JSON.parse(await text(process.stdin));

async function libraryOf(name) {
  if (name === "client") return await import("@modelcontextprotocol/client");
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  return { Client, StreamableHTTPClientTransport };
}

const { Client, StreamableHTTPClientTransport } = await libraryOf(job.library);
const options = job.library === "client" ? { versionNegotiation: { mode: job.mode } } : {};
const client = new Client({ name: `check-clients ${job.library}`, version: "1" }, options);
const headers = { Authorization: `Bearer ${job.token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(job.url), { requestInit: { headers } }));

const abort = new AbortController();
const seen = [];
const begun = Date.now();
const request = {
  signal: abort.signal,
  timeout: job.timeout_ms,
  resetTimeoutOnProgress: true,
  onprogress: (progress) => {
    seen.push(progress);
    if (seen.length === job.cancel_after) abort.abort();
  },
};
if (!job.listens) delete request.onprogress;

async function call() {
  const params = { name: job.tool, arguments: job.arguments };
  try {
    const result = await (job.library === "client" ? client.callTool(params, request)
                                                   : client.callTool(params, undefined, request));
    return { isError: result.isError ?? false, said: result.content.at(-1).text.slice(0, 200) };
  } catch (error) {
    return { thrown: String(error.message ?? error) };
  }
}

const answer = await call();
console.log(JSON.stringify({ ...answer, seen, ms: Date.now() - begun }));
await client.close();
process.exit(0);
