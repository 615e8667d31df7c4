import type { AccountCredits, Tools, ToolsList } from "./tools.js";

export * from "./tools.js";
export const version: string;

export interface Options {
  /** The server's address; begins with https:// */
  baseUrl: string;
  /** The account id */
  account: string;
  token: string;
  /** Attempts of one call, the first included. Default: 5 */
  attempts?: number;
  /** Time of one attempt, longer than any tool takes. Default: 180,000 */
  timeoutMs?: number;
  /** No attempt starts later. Default: 300,000 */
  maxTotalMs?: number;
  /** Instead of the global fetch, for example with a proxy */
  fetch?: (url: string, init: any) => Promise<any>;
}

export interface CallOptions {
  /** Default: a new UUID for each call */
  idempotencyKey?: string;
}

export interface Response<Result> {
  /** The tool's result; bytes if it is not JSON, for example an image */
  result: Result;
  contentType: string;
  creditsCharged: number;
  creditsRemaining: number | null;
  requestId: string | null;
  /** A stored response, for its Idempotency-Key */
  isReplayed: boolean;
}

/** A call without a result. */
export class TollgateError extends Error {
  /** Of the response; null if no complete response of Tollgate arrived */
  readonly status: number | null;
  readonly errors: ReadonlyArray<{ code: string; message: string }>;
  /** The codes of errors; the page "Errors" lists them */
  readonly codes: ReadonlyArray<string>;
  /** For questions to the operator; null if no response arrived */
  readonly requestId: string | null;
  /** Seconds after which a retry can succeed; null: not before the cause is corrected */
  readonly retryAfterS: number | null;
  /** The page of the server that says what to do; null: without a code */
  readonly helpUrl: string | null;
  /** Of the call; within 24 hours, a retry with it is charged at most once */
  readonly idempotencyKey: string | null;
}

export class Tollgate {
  constructor(options: Options);
  /** The result of a tool. Each attempt has the same key, so it is charged at most once. */
  call<Name extends keyof Tools>(
    tool: Name, request: Tools[Name]["request"], options?: CallOptions,
  ): Promise<Tools[Name]["result"]>;
  /** As call, with what the call cost. */
  send<Name extends keyof Tools>(
    tool: Name, request: Tools[Name]["request"], options?: CallOptions,
  ): Promise<Response<Tools[Name]["result"]>>;
  /** A tool that is newer than this package. */
  send(tool: string, request: Record<string, unknown>, options?: CallOptions): Promise<Response<unknown>>;
  /** The balance, and what this token can spend. */
  credits(): Promise<AccountCredits>;
  /** All tools of the server with prices and limits, and the credit packs. */
  tools(): Promise<ToolsList>;
  /** The result of a GET, for example of "/v1/tools". */
  get(path: string): Promise<unknown>;
}
