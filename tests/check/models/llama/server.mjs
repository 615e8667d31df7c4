// tests/check/models/llama/server.mjs MODEL PORT - a small HTTP server around llama.cpp
// (node-llama-cpp):
//
//     POST /v1/chat/completions   continues the messages; a json_schema in response_format is the
//                                 grammar
//     GET  /log                   what happened to each request, as a list
//
// The name of the model says what to do: "short" stops after 20 tokens, "endless" writes until
// its client leaves. Temperature is ignored: a bigram at 0.2 only repeats its most frequent word.
import http from "node:http";
import { getLlama, LlamaCompletion } from "node-llama-cpp";

const [modelPath, port] = process.argv.slice(2);
const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: "error" });
const model = await llama.loadModel({ modelPath });
const context = await model.createContext({ contextSize: 16384 });
const sequence = context.getSequence();
const completion = new LlamaCompletion({ contextSequence: sequence });
const log = [];
let last = Promise.resolve();

function fail(response, status, message) {
  send(response, status, { error: { message, type: "invalid_request_error", code: null, param: null } });
}

function send(response, status, body) {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

async function grammarOf({ model: name, response_format: format }) {
  if (name === "endless") return await llama.createGrammar({ grammar: "root ::= [a-z ] root" });
  if (format?.type === "json_schema") return await llama.createGrammarForJsonSchema(format.json_schema.schema);
  if (format?.type === "json_object") return await llama.getGrammarFor("json");
  return undefined;
}

async function generate(request, entry, signal) {
  const prompt = request.messages.map(({ role, content }) => `${role}: ${content}\n`).join("") + "assistant: ";
  await sequence.clearHistory();
  const { response, metadata } = await completion.generateCompletionWithMeta(model.tokenize(prompt), {
    grammar: await grammarOf(request),
    maxTokens: request.model === "short" ? 20 : request.model === "endless" ? 10_000_000 : request.max_tokens,
    temperature: 1,
    seed: log.length,
    customStopTriggers: request.stop ?? [],
    onToken: (tokens) => (entry.tokens += tokens.length),
    signal,
  });
  return { text: response, finish: metadata.stopReason === "maxTokens" ? "length" : "stop", prompt };
}

async function serve(request, response, signal) {
  const entry = { model: request.model, format: request.response_format?.type ?? "text", tokens: 0, end: "running" };
  log.push(entry);
  try {
    const { text, finish, prompt } = await generate(request, entry, signal);
    entry.end = finish;
    entry.text = text;
    const counts = { prompt_tokens: model.tokenize(prompt).length, completion_tokens: entry.tokens };
    send(response, 200, {
      id: `chatcmpl-${log.length}`, object: "chat.completion", created: 1, model: request.model,
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: finish }],
      usage: { ...counts, total_tokens: counts.prompt_tokens + counts.completion_tokens },
    });
  } catch (error) {
    entry.end = signal.aborted ? "cancelled" : `failed: ${error.message}`;
    if (!signal.aborted) fail(response, 400, error.message);
  }
}

http.createServer(async (request, response) => {
  if (request.method === "GET") return send(response, 200, log);
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const gone = new AbortController();
  response.on("close", () => response.writableFinished || gone.abort());
  const turn = last.then(() => serve(JSON.parse(Buffer.concat(chunks)), response, gone.signal));
  last = turn.catch(() => {});  // one request after another: there is one context
}).listen(Number(port), "127.0.0.1");
