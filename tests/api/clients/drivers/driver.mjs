// driver.mjs JSON - run one method of the TypeScript client, and print its value or its error.
import { Tollgate, TollgateError } from "../../../../clients/typescript/index.js";

const asked = JSON.parse(process.argv[2]);

function plain(value) {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("latin1") };
  if (value?.contentType === undefined) return value;
  return {
    result: plain(value.result), content_type: value.contentType, charged: value.creditsCharged,
    remaining: value.creditsRemaining, request_id: value.requestId, is_replayed: value.isReplayed,
  };
}

function options({ base_url: baseUrl, account, token, attempts, timeout_s: timeout, max_total_s: total }) {
  return { baseUrl, account, token, attempts, timeoutMs: timeout && timeout * 1000, maxTotalMs: total && total * 1000 };
}

try {
  const tollgate = new Tollgate(options(asked.options));
  const key = asked.key ? [{ idempotencyKey: asked.key }] : [];
  const value = plain(await tollgate[asked.method](...asked.arguments, ...key));
  console.log(JSON.stringify({ value }));
} catch (error) {
  const wrong = !(error instanceof TollgateError);
  const { status, codes, message, requestId, retryAfterS, helpUrl, idempotencyKey } = error;
  console.log(JSON.stringify({ error: wrong ? { wrong: message } : {
    status, codes, message, request_id: requestId, retry_after_s: retryAfterS, help_url: helpUrl, key: idempotencyKey } }));
}
