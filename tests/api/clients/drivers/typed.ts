// What a compiler must accept, and after @ts-expect-error, what it must reject.
import { type CronExplainResult, Tollgate, TollgateError } from "tollgate-client";

const tollgate = new Tollgate({ baseUrl: "https://tools.example.com", account: "…", token: "…" });

export async function accepted(): Promise<string> {
  const hash: string = (await tollgate.call("hash-generate", { input: "a", key_encoding: "hex" })).hash;
  const cron: CronExplainResult = (await tollgate.send("cron-explain", { expression: "@daily" })).result;
  const image: Uint8Array = await tollgate.call("placeholder-image", {});
  const code = await tollgate.call("qr-generate", { text: "a" }, { idempotencyKey: "k" });
  const svg: string = code instanceof Uint8Array ? "" : code.svg;
  const credits: number = (await tollgate.credits()).credits;
  const prices: number[] = (await tollgate.tools()).tools.map((tool) => tool.credits);
  const newer: unknown = (await tollgate.send("tool-of-tomorrow", { any: 1 })).result;
  return `${hash} ${cron.description} ${image.length} ${svg} ${credits} ${prices} ${newer}`;
}

export function codes(error: unknown): ReadonlyArray<string> {
  return error instanceof TollgateError ? error.codes : [];
}

export async function rejected(): Promise<void> {
  // @ts-expect-error: a tool that does not exist
  await tollgate.call("hash-generat", { input: "a" });
  // @ts-expect-error: a required field is missing
  await tollgate.call("hash-generate", {});
  // @ts-expect-error: a field that does not exist
  await tollgate.call("hash-generate", { input: "a", algoritm: "MD5" });
  // @ts-expect-error: a value that is not allowed
  await tollgate.call("hash-generate", { input: "a", key_encoding: "base32" });
  // @ts-expect-error: a result that may be an image
  (await tollgate.call("qr-generate", { text: "a" })).svg.trim();
  // @ts-expect-error: no token
  new Tollgate({ baseUrl: "https://tools.example.com", account: "…" });
}
