// examples/mcp-client.ts - call Tollgate through MCP, as agents do, with
// @modelcontextprotocol/client.
// It reads the file that `make run` writes. With Node.js 22.18 or newer:
//     NODE_EXTRA_CA_CERTS=var/run/tls/certificate.pem node examples/mcp-client.ts [var/demo.json]
// Node.js 20 does not read types. There, run it with tsx:
//     NODE_EXTRA_CA_CERTS=var/run/tls/certificate.pem npx tsx examples/mcp-client.ts [var/demo.json]
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const demo = JSON.parse(readFileSync(process.argv[2] ?? "var/demo.json", "utf8"));
const url = new URL(`${demo.base_url}/v1/client/${demo.account}/mcp?groups=utils`);
const headers = { Authorization: `Bearer ${demo.token}` };

const client = new Client({ name: "tollgate-example", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

// Charged at most once: each attempt has the same key. An error of a tool is a result that says
// when to retry.
async function call(name: string, args: Record<string, unknown>): Promise<any> {
  const _meta = { "tollgate/idempotency-key": randomUUID() };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const result: any = await client.callTool({ name, arguments: args, _meta });
      const wait = result._meta?.["tollgate/error"]?.retry_after_seconds;
      if (wait === undefined || attempt === 5) return result;
      await new Promise((wake) => setTimeout(wake, wait * 1000));
    } catch (error) {
      if (attempt === 5) throw error; // the response got lost: the same key makes the retry safe
      await new Promise((wake) => setTimeout(wake, 1000));
    }
  }
}

const good = await call("hash-generate", { input: "hello" });
console.log(`hash: ${good.structuredContent.hash}`);
const bad = await call("hash-generate", { algorithm: "MD5" });
console.log(`error: ${bad.content[0].text}`);
const balance = await call("account-credits", {});
console.log(`credits: ${balance.structuredContent.credits}`);
await client.close();
