// Calls over HTTPS, each charged at most once.
// This file is published as it is, so that a release needs no compiler. index.d.ts has its types.
import { randomUUID } from "node:crypto";
import { getTools } from "./get-tools.js";

export const version = "1.0.0";
const RETRIED = [409, 429, 503]; // with Retry-After
const LONGEST_PAUSE_S = 8; // between attempts whose responses are lost
const UNTRUSTED = /CERT|LEAF_SIGNATURE/; // codes of Node.js for a certificate that is not trusted

export class TollgateError extends Error {
  constructor(message, { status = null, errors = [], requestId = null, retryAfterS = null, cause } = {}) {
    super(message, { cause });
    this.name = "TollgateError";
    this.status = status;
    this.errors = errors;
    this.codes = errors.map((error) => error.code);
    this.requestId = requestId;
    this.retryAfterS = retryAfterS;
    this.helpUrl = null;
    this.idempotencyKey = null;
  }
}

export class Tollgate {
  #token;

  constructor({ baseUrl, account, token, attempts = 5, timeoutMs = 180_000, maxTotalMs = 300_000, fetch }) {
    if (!baseUrl.startsWith("https://")) {
      throw new TypeError("baseUrl must begin with https://, because the token is sent there");
    }
    this.baseUrl = baseUrl.replace(/\/+$/, "");
    this.accountPath = `/v1/client/${encodeURIComponent(account)}`;
    this.#token = token;
    this.attempts = attempts;
    this.timeoutMs = timeoutMs;
    this.maxTotalMs = maxTotalMs;
    this.fetch = fetch ?? globalThis.fetch;
  }

  async call(tool, request, options) {
    return (await this.send(tool, request, options)).result;
  }

  async send(tool, request, { idempotencyKey = randomUUID() } = {}) {
    const path = `${this.accountPath}/tools/${encodeURIComponent(tool)}`;
    const headers = { "Idempotency-Key": idempotencyKey };
    try {
      if (getTools.has(tool)) return await this.#retry("GET", `${path}?${query(request)}`, headers);
      return await this.#retry("POST", path, headers, JSON.stringify(request));
    } catch (error) {
      if (error instanceof TollgateError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }

  credits() {
    return this.get(`${this.accountPath}/account/credits`);
  }

  tools() {
    return this.get("/v1/tools");
  }

  async get(path) {
    return (await this.#retry("GET", path, {})).result;
  }

  async #retry(method, path, headers, body) {
    const start = Date.now();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(method, path, headers, body, pauseS(attempt));
      } catch (error) {
        if (error.codes?.length) error.helpUrl = `${this.baseUrl}/docs/errors#${error.codes[0]}`;
        const waitMs = (error.retryAfterS ?? Infinity) * 1000;
        if (attempt >= this.attempts || Date.now() - start + waitMs > this.maxTotalMs) throw error;
        await new Promise((wake) => setTimeout(wake, waitMs));
      }
    }
  }

  async #attempt(method, path, headers, body, ifLostS) {
    const own = {
      Authorization: `Bearer ${this.#token}`,
      "Content-Type": "application/json",
      "User-Agent": `tollgate-client-typescript/${version}`,
    };
    let response, content;
    try {
      // A redirect is not followed: the token stays with this server.
      response = await this.fetch(this.baseUrl + path, {
        method, body, headers: { ...own, ...headers }, redirect: "manual", signal: AbortSignal.timeout(this.timeoutMs),
      });
      content = new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      const reason = cause.cause?.code ?? cause.cause?.message ?? cause.message;
      const retryAfterS = UNTRUSTED.test(reason) ? null : ifLostS;
      throw new TollgateError(`no response: ${reason}`, { retryAfterS, cause });
    }
    return readResponse(response.status, response.headers, content, ifLostS);
  }
}

function query(request) {
  return new URLSearchParams(Object.entries(request).map(
    ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]));
}

// Doubles, with jitter, so that not all clients of a server return at once.
function pauseS(attempt) {
  return Math.min(2 ** (attempt - 1), LONGEST_PAUSE_S) * (0.75 + Math.random() / 4);
}

// The response, or throws TollgateError.
function readResponse(status, headers, content, ifLostS) {
  const requestId = headers.get("X-Request-Id");
  const contentType = (headers.get("Content-Type") ?? "").split(";")[0].trim();
  const isJson = contentType === "application/json";
  const envelope = isJson ? parseEnvelope(content) : null;
  if (status === 200 && (envelope || !isJson)) {
    return {
      result: envelope ? envelope.result : content,
      contentType,
      creditsCharged: number(headers.get("X-Credits-Charged")) ?? 0,
      creditsRemaining: number(headers.get("X-Credits-Remaining")),
      requestId,
      isReplayed: headers.get("Idempotency-Replayed") === "true",
    };
  }
  if (envelope) {
    const { errors } = envelope;
    const message = errors.map((error) => `${error.code}: ${error.message}`).join("; ");
    const retryAfterS = RETRIED.includes(status) ? number(headers.get("Retry-After")) : null;
    throw new TollgateError(message, { status, errors, requestId, retryAfterS });
  }
  // Not a response of Tollgate, but of a proxy before it. From 500 on, Tollgate's may be lost.
  const isLost = status === 200 || status >= 500;
  throw new TollgateError(`no response of Tollgate, but HTTP status ${status}`,
    { requestId, retryAfterS: isLost ? ifLostS : null });
}

// null: not a whole envelope.
function parseEnvelope(content) {
  try {
    const envelope = JSON.parse(new TextDecoder().decode(content));
    return Array.isArray(envelope?.errors) && envelope.result !== undefined ? envelope : null;
  } catch {
    return null;
  }
}

function number(text) {
  return /^\d+$/.test(text ?? "") ? Number(text) : null;
}
