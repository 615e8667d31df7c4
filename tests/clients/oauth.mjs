// tests/clients/oauth.mjs - an agent's host on one of the official SDKs, which connects with OAuth.
// Its first argument is {library: "sdk" | "client", url, document}, as JSON; document: the URL of
// its metadata; without one, it registers itself. Then it reads a command on each
// line of standard input, and prints the outcome as a line of JSON:
//     {do: "connect"}               {connected: true}, or {authorize: URL} for the member's browser
//     {do: "finish", back: URL}     the same: the browser came back with a code
//     {do: "list"}                  {tools: […]}
//     {do: "call", tool, args}      {said: text}
//     {do: "drop"}                  {done: true}; the next answer of the token endpoint is lost
//     {do: "save"}                  {state}: what the host keeps on disk
//     {do: "load", state}           {done: true}; the state of another process
// Any of them may be {authorize: URL} instead, or {failed: message}.
import { createInterface } from "node:readline";

const job = JSON.parse(process.argv[2]);
const REDIRECT = job.document ? "http://localhost:33418/callback" : "http://127.0.0.1:33418/callback";

async function libraryOf(name) {
  if (name === "client") return await import("@modelcontextprotocol/client");
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { UnauthorizedError } = await import("@modelcontextprotocol/sdk/client/auth.js");
  return { Client, StreamableHTTPClientTransport, UnauthorizedError };
}

const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await libraryOf(job.library);
let kept = {};
let asked, client, transport;
let dropsNext = false;

const provider = {
  get redirectUrl() { return REDIRECT; },
  clientMetadataUrl: job.document,
  get clientMetadata() {
    return { client_name: `check-clients ${job.library}`, redirect_uris: [REDIRECT], response_types: ["code"],
             grant_types: ["authorization_code", "refresh_token"], token_endpoint_auth_method: "none" };
  },
  state: () => crypto.randomUUID(),
  clientInformation: () => kept.client,
  saveClientInformation: (value) => { kept.client = value; },
  tokens: () => kept.tokens,
  saveTokens: (value) => { kept.tokens = value; },
  saveCodeVerifier: (value) => { kept.verifier = value; },
  codeVerifier: () => kept.verifier,
  discoveryState: () => kept.discovery,
  saveDiscoveryState: (value) => { kept.discovery = value; },
  redirectToAuthorization: (url) => { asked = url.href; },
  invalidateCredentials: (scope) => {
    const names = { client: ["client"], tokens: ["tokens"], verifier: ["verifier"], discovery: ["discovery"] };
    for (const name of names[scope] ?? ["client", "tokens", "verifier", "discovery"]) delete kept[name];
  },
};

async function fetchOrDrop(url, init) {
  const response = await fetch(url, init);
  if (!dropsNext || !String(url).endsWith("/oauth/token")) return response;
  dropsNext = false;
  throw new TypeError("the answer was lost");
}

async function connect() {
  client = new Client({ name: `check-clients ${job.library}`, version: "1" }, job.options ?? {});
  transport = new StreamableHTTPClientTransport(new URL(job.url), { authProvider: provider, fetch: fetchOrDrop });
  await client.connect(transport);
  return { connected: true };
}

const commands = {
  connect,
  async finish({ back }) {
    const answer = new URL(back).searchParams;
    await (job.library === "client" ? transport.finishAuth(answer) : transport.finishAuth(answer.get("code")));
    return await connect();
  },
  async list() {
    return { tools: (await client.listTools()).tools.map((tool) => tool.name) };
  },
  async call({ tool, args }) {
    const result = await client.callTool({ name: tool, arguments: args });
    return { said: result.content[0].text, isError: result.isError ?? false };
  },
  drop() { dropsNext = true; return { done: true }; },
  save() { return { state: kept }; },
  load({ state }) { kept = state; return { done: true }; },
};

async function run(command) {
  asked = undefined;
  try {
    return await commands[command.do](command);
  } catch (error) {
    return error instanceof UnauthorizedError && asked ? { authorize: asked } : { failed: String(error.message), asked };
  }
}

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await run(JSON.parse(line))));
process.exit(0);
