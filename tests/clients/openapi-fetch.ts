// tests/clients/openapi-fetch.ts - a client made by others: openapi-fetch, with types that
// openapi-typescript generates from our OpenAPI document. It reads the file that `make run` writes.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { paths } from "./openapi.d.ts";

const demo = JSON.parse(readFileSync(process.argv[2], "utf8"));
const path = { auuid: demo.account };

const pause = (seconds: number) => new Promise((wake) => setTimeout(wake, seconds * 1000));

// Charged at most once: each attempt sends the same request with the same key.
async function persistent(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(request.clone(), { signal: AbortSignal.timeout(60_000) });
      const wait = response.headers.get("Retry-After"); // on 409, 429 and 503, in seconds
      if (wait === null || attempt === 5) return response;
      await pause(Number(wait));
    } catch (error) {
      if (attempt === 5) throw error; // the response got lost: the same key makes the retry safe
      await pause(1);
    }
  }
}

const client = createClient<paths>({
  baseUrl: demo.base_url,
  headers: { Authorization: `Bearer ${demo.token}` },
  fetch: persistent,
});

const key = () => ({ "Idempotency-Key": randomUUID() });
const good = await client.POST("/v1/client/{auuid}/tools/hash-generate", {
  params: { path, header: key() },
  body: { input: "hello" },
});
console.log(`hash: ${good.data?.result.hash}`);

const bad = await client.POST("/v1/client/{auuid}/tools/hash-generate", {
  params: { path, header: key() },
  body: { input: "zz", input_encoding: "hex" },
});
console.log(`error: ${bad.error?.errors[0]?.code}: ${bad.error?.errors[0]?.message}`);

const balance = await client.GET("/v1/client/{auuid}/account/credits", { params: { path } });
console.log(`credits: ${balance.data?.result.credits}`);
