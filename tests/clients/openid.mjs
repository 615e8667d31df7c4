// tests/clients/openid.mjs - a client of OAuth on one of the certified libraries of the OpenID
// world, which check each answer more strictly than agents' hosts do. Its first argument is
// {library: "openid-client" | "oauth4webapi", issuer, documents, kind}, as JSON. kind is
// "registered"; "open": a client with a document below the URL `documents`; or "signs": one that
// also signs its requests for tokens. Then it reads a command on each line of standard input:
//     {do: "connect"}               {authorize: URL} for the member's browser
//     {do: "finish", back: URL}     {tokens}; the browser came back with a code
//     {do: "refresh"}               {tokens}
//     {do: "ping"}                  {status}: of a message to the server
//     {do: "revoke"}                {done: true}
// Any of them may be {failed: message} instead.
import { createInterface } from "node:readline";
import * as strict from "oauth4webapi";
import * as openid from "openid-client";

const job = JSON.parse(process.argv[2]);
const REDIRECT = "http://localhost:33419/callback";
const RESOURCE = `${job.issuer}/mcp`;
const METADATA = { client_name: `check-clients ${job.library}`, redirect_uris: [REDIRECT],
                   token_endpoint_auth_method: "none" };
const PING = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
               headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" } };

const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
const { x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
const name = job.kind === "signs" ? `${x}/${y}/${crypto.randomUUID()}` : crypto.randomUUID();
const clientId = job.kind === "registered" ? undefined : `${job.documents}/${job.kind}/${name}`;
const verifier = openid.randomPKCECodeVerifier();
const state = openid.randomState();
let kept;

const request = async () => ({
  redirect_uri: REDIRECT, scope: "utils account", state, resource: RESOURCE, response_type: "code",
  code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256",
});

function proofOf(library) {
  if (job.kind !== "signs") return library.None();
  return library.PrivateKeyJwt({ key: pair.privateKey, kid: "1" });
}

async function withOpenid() {
  const issuer = new URL(job.issuer);
  const found = { algorithm: "oauth2" };
  const config = clientId
    ? await openid.discovery(issuer, clientId, {}, proofOf(openid), found)
    : await openid.dynamicClientRegistration(issuer, METADATA, openid.None(), found);
  return {
    url: async () => openid.buildAuthorizationUrl(config, await request()),
    finish: (back) => openid.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state }),
    refresh: (token) => openid.refreshTokenGrant(config, token),
    revoke: (token) => openid.tokenRevocation(config, token),
  };
}

async function withStrict() {
  const issuer = new URL(job.issuer);
  const resource = new URL(RESOURCE);
  const described = await strict.processResourceDiscoveryResponse(resource, await strict.resourceDiscoveryRequest(resource));
  if (described.authorization_servers[0] !== job.issuer) throw new Error("another issuer");
  const as = await strict.processDiscoveryResponse(issuer, await strict.discoveryRequest(issuer, { algorithm: "oauth2" }));
  const client = clientId ? { client_id: clientId } : await strict.processDynamicClientRegistrationResponse(
    await strict.dynamicClientRegistrationRequest(as, METADATA));
  const proof = proofOf(strict);
  return {
    url: async () => {
      const url = new URL(as.authorization_endpoint);
      url.search = new URLSearchParams({ client_id: client.client_id, ...(await request()) });
      return url;
    },
    finish: async (back) => {
      const answer = strict.validateAuthResponse(as, client, back, state);
      const response = await strict.authorizationCodeGrantRequest(as, client, proof, answer, REDIRECT, verifier);
      return await strict.processAuthorizationCodeResponse(as, client, response);
    },
    refresh: async (token) => await strict.processRefreshTokenResponse(
      as, client, await strict.refreshTokenGrantRequest(as, client, proof, token)),
    revoke: async (token) => await strict.processRevocationResponse(await strict.revocationRequest(as, client, proof, token)),
  };
}

let flow;
const commands = {
  async connect() {
    flow = await (job.library === "openid-client" ? withOpenid() : withStrict());
    return { authorize: (await flow.url()).href };
  },
  async finish({ back }) { return { tokens: (kept = await flow.finish(new URL(back))) }; },
  async refresh() { return { tokens: (kept = await flow.refresh(kept.refresh_token)) }; },
  async ping() {
    const sent = { ...PING, headers: { ...PING.headers, Authorization: `Bearer ${kept.access_token}` } };
    return { status: (await fetch(RESOURCE, sent)).status };
  },
  async revoke() { await flow.revoke(kept.refresh_token); return { done: true }; },
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  const answer = await commands[command.do](command).catch((error) => ({ failed: `${error.message} ${error.cause ?? ""}` }));
  console.log(JSON.stringify(answer));
}
process.exit(0);
