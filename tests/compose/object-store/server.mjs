/* tests/compose/object-store/server.mjs - an object store with the interface of S3 over TLS. It
 * checks signatures; its only key is S3RVER, with the secret S3RVER. */
import fs from "node:fs";

import S3rver from "s3rver";

await new S3rver({
  address: "0.0.0.0",
  port: 443,
  directory: "/objects",
  serviceEndpoint: "storage.test", // so s3.eu-central-1.storage.test is an endpoint
  configureBuckets: [{ name: "example-backups" }],
  key: fs.readFileSync("/tls/key.pem"),
  cert: fs.readFileSync("/tls/chain.pem"),
}).run();
