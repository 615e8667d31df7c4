/* svc-security/openapi-validate/tests/rules/rules.c - a document for each rule, and a valid one for
 * each version. */
#include <string.h>

#include "openapi-validate/tests/reading.h"
#include "rows.h"

/* ---- documents: a valid head for each version ---- */

#define HEAD_2_0         "swagger: '2.0'\ninfo: &i {title: t, version: '1', description: d, contact: {}}\n"
#define HEAD_3_0         "openapi: 3.0.4\ninfo: &i {title: t, version: '1', description: d, contact: {}}\n"
#define HEAD_3_1         "openapi: 3.1.1\ninfo: &i {title: t, version: '1', description: d, contact: {}}\n"
#define HEAD_3_2         "openapi: 3.2.0\ninfo: &i {title: t, version: '1', description: d, contact: {}}\n"

#define RESPONSES        "responses: {200: {description: d}}"
#define OPERATION(more)  "paths: {/a: {get: {operationId: a, " RESPONSES ", " more "}}}\n"
#define PARAMETER(more)  OPERATION("parameters: [{" more "}]")
#define SCHEMA(more)     "paths: {}\ncomponents: {schemas: {S: {" more "}}}\n"
#define DEFINITION(more) "paths: {}\ndefinitions: {S: {" more "}}\n"
#define SECURITY(more)   "paths: {}\ncomponents: {securitySchemes: {s: {" more "}}}\n"
#define JSON_BODY(more)                              \
    "paths: {/a: {post: {operationId: a, " RESPONSES \
    ", requestBody: {content: {application/json: {" more "}}}}}}\n"
/* parameters of a path and of its operation */
#define BOTH(shared, own) \
    "paths: {/a: {parameters: [" shared "], post: {operationId: a, " RESPONSES ", " own "}}}\n"

static const struct row {
    const char *name;
    const char *head; /* NULL: text is the whole document */
    const char *text;
    const char *rule;
    const char *path;
} rows[] = {
    /* the text */
    { "neither JSON nor YAML", NULL, "{\"openapi\": ", "invalid-json", "" },
    { "bad YAML", NULL, "openapi: [", "invalid-yaml", "" },
    { "no document", NULL, "# nothing", "invalid-yaml", "" },
    { "an empty text", NULL, "", "invalid-yaml", "" },
    { "a tab that indents", NULL, "a:\n\tb: 1", "invalid-yaml", "" },
    { "a %TAG directive", NULL, "%TAG !a! tag:a\n---\na: 1", "invalid-yaml", "" },
    { "not UTF-8", NULL, "a: '\xff'", "invalid-yaml", "" },
    { "a key that is a list", NULL, "? [a]\n: 1", "invalid-yaml", "" },
    { "a mark of UTF-16", NULL, "\xff\xfe{", "encoding", "" },
    { "a key twice in YAML", HEAD_3_0, "paths: {}\npaths: {}\n", "duplicate-key", "/paths" },
    { "a key twice in JSON", NULL, "{\"a\":1,\"b\":2,\"a\":3}", "duplicate-key", "/a" },
    { "a second document", HEAD_3_0, "paths: {}\n---\na: 1\n", "several-documents", "" },
    { "a tag of a language", HEAD_3_0, "x-a: !!python/none a\n", "yaml-tag", "" },
    { "an alias of nothing", HEAD_3_0, "x-a: *b\n", "undefined-alias", "" },
    { "an alias in its anchor", HEAD_3_0, "x-a: &b [*b]\n", "cyclic-alias", "" },
    { "infinity", HEAD_3_0, "x-a: -.inf\n", "not-a-json-number", "/x-a" },
    { "no number", HEAD_3_0, "x-a: .nan\n", "not-a-json-number", "/x-a" },
    { "a comma too many", NULL, "{\"openapi\": \"3.0.4\",}", "not-strict-json", "" },
    { "a byte-order mark", NULL, "\xef\xbb\xbfopenapi: 3.0.4", "byte-order-mark", "" },
    { "a key that is a boolean", HEAD_3_0, "x-a: {true: 1}\n", "key-not-string", "" },
    { "a key that is null", HEAD_3_0, "x-a: {~: 1}\n", "key-not-string", "" },
    { "a merge key", HEAD_3_0, "x-a: {<<: *i, a: 1}\n", "merge-key", "/x-a/<<" },

    /* fields */
    { "a number for a string", NULL, "openapi: 3.0.4\ninfo: {title: 1, version: a}\npaths: {}",
      "field-type", "/info/title" },
    { "null for a path item", HEAD_3_0, "paths: {/a: null}", "field-type", "/paths/~1a" },
    { "an object for a list", HEAD_3_0, "paths: {}\ntags: {}\n", "field-type", "/tags" },
    { "deprecated as text", HEAD_3_0, OPERATION("deprecated: 'true'"), "field-type",
      "/paths/~1a/get/deprecated" },
    { "a scheme of no API", HEAD_2_0, "paths: {}\nschemes: [ftp]\n", "field-value", "/schemes/0" },
    { "a place of no parameter", HEAD_3_0, PARAMETER("name: a, in: body, schema: {}"),
      "field-value", "/paths/~1a/get/parameters/0/in" },
    { "cookie in 2.0", HEAD_2_0, PARAMETER("name: a, in: cookie, type: string"), "field-value",
      "/paths/~1a/get/parameters/0/in" },
    { "a negative count", HEAD_3_0, SCHEMA("minLength: -1"), "field-value",
      "/components/schemas/S/minLength" },
    { "half a count", HEAD_3_0, SCHEMA("minLength: 1.5"), "field-value",
      "/components/schemas/S/minLength" },
    { "an unknown field", HEAD_3_0, "paths: {}\nfoo: 1\n", "unknown-field", "/foo" },
    { "an unknown keyword in 3.0", HEAD_3_0, SCHEMA("foo: 1"), "unknown-field",
      "/components/schemas/S/foo" },
    { "a field of 2.0 in 3.0", HEAD_3_0, "paths: {}\nhost: a\n", "unknown-field", "/host" },
    { "a field of 3.0 in 2.0", HEAD_2_0, DEFINITION("oneOf: []"), "unknown-field",
      "/definitions/S/oneOf" },
    { "an unknown method", HEAD_3_0, "paths: {/a: {fetch: {}}}", "unknown-method",
      "/paths/~1a/fetch" },
    { "a URL with a blank", HEAD_3_0, "paths: {}\nexternalDocs: {url: 'a b'}\n", "uri-format",
      "/externalDocs/url" },
    { "a media type without a slash", HEAD_2_0, "paths: {}\nproduces: [json]\n", "mime-type",
      "/produces/0" },
    { "content of no media type", HEAD_3_0,
      "paths: {}\ncomponents: {requestBodies: {b: {content: {json: {}}}}}\n", "mime-type",
      "/components/requestBodies/b/content/json" },
    { "a pattern that does not compile", HEAD_3_0, SCHEMA("pattern: '(['"), "pattern-invalid",
      "/components/schemas/S/pattern" },
    { "a script", HEAD_3_0, "paths: {}\ntags: [{name: a, description: '<script>'}]\n",
      "script-in-markdown", "/tags/0/description" },
    { "no title", NULL, "openapi: 3.0.4\ninfo: {version: '1'}\npaths: {}", "info-title-required",
      "/info" },
    { "no version", NULL, "openapi: 3.0.4\ninfo: {title: t}\npaths: {}", "info-version-required",
      "/info" },
    { "no info", NULL, "openapi: 3.0.4\npaths: {}", "info-required", "" },
    { "no paths", HEAD_3_0, "", "paths-required", "" },
    { "a license without a name", NULL,
      "openapi: 3.0.4\ninfo: {title: t, version: '1', license: {}}\npaths: {}",
      "license-name-required", "/info/license" },
    { "no responses in 3.0", HEAD_3_0, "paths: {/a: {get: {}}}", "operation-responses-required",
      "/paths/~1a/get" },
    { "no description of a response", HEAD_3_1, "components: {responses: {r: {}}}",
      "response-description-required", "/components/responses/r" },
    { "no content", HEAD_3_0, "paths: {}\ncomponents: {requestBodies: {b: {}}}\n",
      "request-body-content-required", "/components/requestBodies/b" },
    { "no default", HEAD_3_0, "paths: {}\nservers: [{url: '{a}', variables: {a: {}}}]\n",
      "server-variable-default-required", "/servers/0/variables/a" },
    { "no url", HEAD_3_0, "paths: {}\nservers: [{}]\n", "server-url-required", "/servers/0" },
    { "webhooks before 3.1", HEAD_3_0, "paths: {}\nwebhooks: {}\n", "webhooks-for-3-1-plus",
      "/webhooks" },
    { "const before 3.1", HEAD_3_0, SCHEMA("const: 1"), "const-for-3-1-plus",
      "/components/schemas/S/const" },
    { "an identifier of a license before 3.1", "openapi: 3.0.4\n",
      "info: {title: t, version: '1', license: {name: a, identifier: MIT}}\npaths: {}\n",
      "identifier-for-3-1-plus", "/info/license/identifier" },
    { "path items as components before 3.1", HEAD_3_0, "paths: {}\ncomponents: {pathItems: {}}\n",
      "path-items-for-3-1-plus", "/components/pathItems" },
    { "a summary of a tag before 3.2", HEAD_3_1, "paths: {}\ntags: [{name: a, summary: b}]\n",
      "summary-for-3-2-plus", "/tags/0/summary" },
    { "a description of a media type before 3.2", HEAD_3_1, JSON_BODY("description: d"),
      "description-for-3-2-plus",
      "/paths/~1a/post/requestBody/content/application~1json/description" },
    { "query before 3.2", HEAD_3_1, "paths: {/a: {query: {}}}", "query-for-3-2-plus",
      "/paths/~1a/query" },
    { "$self before 3.2", HEAD_3_1, "paths: {}\n$self: a\n", "self-for-3-2-plus", "/$self" },

    /* references */
    { "a $ref that is not a string", HEAD_3_0, "paths: {}\ncomponents: {schemas: {S: {$ref: 1}}}\n",
      "ref-format", "/components/schemas/S/$ref" },
    { "a $ref that is not a URI", HEAD_3_0, SCHEMA("$ref: '<somewhere>'"), "ref-format",
      "/components/schemas/S/$ref" },
    { "a $ref to nothing", HEAD_3_0, SCHEMA("$ref: '#/components/schemas/T'"), "unresolved-ref",
      "/components/schemas/S/$ref" },
    { "an anchor of nothing", HEAD_3_1, SCHEMA("$ref: '#nowhere'"), "unresolved-ref",
      "/components/schemas/S/$ref" },
    { "a $ref beyond a list", HEAD_3_0, SCHEMA("enum: [1], allOf: [{$ref: '#/tags/01'}]"),
      "unresolved-ref", "/components/schemas/S/allOf/0/$ref" },
    { "a parameter for a schema", HEAD_3_0,
      "paths: {}\ncomponents: {parameters: {p: {name: a, in: query, schema: {}}}, schemas: {S: "
      "{$ref: '#/components/parameters/p'}}}\n",
      "ref-wrong-kind", "/components/schemas/S/$ref" },
    { "a map for a schema", HEAD_3_0, SCHEMA("$ref: '#/components/schemas'"), "ref-wrong-kind",
      "/components/schemas/S/$ref" },
    { "a circle", HEAD_3_0,
      "paths: {}\ncomponents: {schemas: {A: {$ref: '#/components/schemas/B'}, B: {$ref: "
      "'#/components/schemas/A'}}}\n",
      "ref-cycle", "/components/schemas/A" },
    { "a field next to a $ref", HEAD_3_0,
      "paths: {}\ncomponents: {schemas: {A: {}, B: {$ref: '#/components/schemas/A', type: "
      "object}}}\n",
      "ref-siblings-ignored", "/components/schemas/B/type" },
    { "another document", HEAD_3_0, SCHEMA("$ref: 'a.yaml#/b'"), "external-ref-not-resolved",
      "/components/schemas/S/$ref" },

    /* the document */
    { "a list", NULL, "[1]", "doc-not-object", "" },
    { "no version", NULL, "info: {}", "doc-version-missing", "" },
    { "two versions", NULL, "swagger: '2.0'\nopenapi: 3.0.4\n", "doc-version-twice", "/openapi" },
    { "version 4", NULL, "openapi: 4.0.0\n", "doc-version-unknown", "/openapi" },
    { "two numbers of three", NULL, "openapi: '3.0'\n", "doc-version-unknown", "/openapi" },
    { "a number", NULL, "openapi: 3.0\n", "doc-version-unknown", "/openapi" },
    { "version 1.2", NULL, "swagger: '1.2'\n", "doc-version-unknown", "/swagger" },
    { "2.0 as a number", NULL, "swagger: 2.0\ninfo: {title: t, version: '1'}\npaths: {}\n",
      "version-not-string", "/swagger" },
    { "nothing in 3.1", HEAD_3_1, "", "paths-components-or-webhooks-required", "" },
    { "$self with a fragment", HEAD_3_2, "paths: {}\n$self: 'a#b'\n", "self-fragment", "/$self" },
    { "a host with a path", HEAD_2_0, "paths: {}\nhost: a/b\n", "host-format", "/host" },
    { "a port of letters", HEAD_2_0, "paths: {}\nhost: 'a:b'\n", "host-format", "/host" },
    { "a relative basePath", HEAD_2_0, "paths: {}\nbasePath: v1\n", "base-path-format",
      "/basePath" },
    { "no servers", HEAD_3_0, "paths: {}\n", "no-servers", "" },
    { "no host", HEAD_2_0, "paths: {}\n", "no-servers", "" },
    { "no security", HEAD_3_0, OPERATION("deprecated: false"), "no-security", "" },
    { "no contact", NULL, "openapi: 3.0.4\ninfo: {title: t, version: '1'}\npaths: {}\n",
      "no-contact", "/info" },
    { "no description", NULL, "openapi: 3.0.4\ninfo: {title: t, version: '1'}\npaths: {}\n",
      "no-description", "/info" },
    { "no e-mail address", NULL,
      "openapi: 3.0.4\ninfo: {title: t, version: '1', contact: {email: a@}}\npaths: {}\n",
      "contact-email-format", "/info/contact/email" },
    { "two licenses", NULL,
      "openapi: 3.1.0\ninfo: {title: t, version: '1', license: {name: a, url: b, identifier: "
      "c}}\npaths: {}\n",
      "license-url-or-identifier", "/info/license" },
    { "a name with a blank", HEAD_3_0, "paths: {}\ncomponents: {schemas: {a b: {}}}\n",
      "component-name", "/components/schemas/a b" },
    { "an unused schema", HEAD_3_0, SCHEMA("type: string"), "unused-component",
      "/components/schemas/S" },
    { "an unused definition", HEAD_2_0, DEFINITION("type: string"), "unused-component",
      "/definitions/S" },

    /* tags and servers */
    { "a tag twice", HEAD_3_0, "paths: {}\ntags: [{name: a}, {name: a}]\n", "tag-unique",
      "/tags/1" },
    { "a tag twice in 2.0", HEAD_2_0, "paths: {}\ntags: [{name: a}, {name: a}]\n", "tag-unique",
      "/tags/1" },
    { "a parent of nothing", HEAD_3_2, "paths: {}\ntags: [{name: a, parent: b}]\n",
      "tag-parent-unknown", "/tags/0/parent" },
    { "a circle of parents", HEAD_3_2,
      "paths: {}\ntags: [{name: a, parent: b}, {name: b, parent: a}]\n", "tag-parent-cycle",
      "/tags/0/parent" },
    { "a tag without description", HEAD_3_0, "paths: {}\ntags: [{name: a}]\n", "tag-description",
      "/tags/0" },
    { "half a brace", HEAD_3_0, "paths: {}\nservers: [{url: '/{a'}]\n", "server-braces",
      "/servers/0/url" },
    { "an unknown variable", HEAD_3_0, "paths: {}\nservers: [{url: '/{a}'}]\n",
      "server-variable-undefined", "/servers/0/url" },
    { "an unused variable", HEAD_3_0,
      "paths: {}\nservers: [{url: /, variables: {a: {default: b}}}]\n", "server-variable-unused",
      "/servers/0/variables/a" },
    { "no choice", HEAD_3_0,
      "paths: {}\nservers: [{url: '/{a}', variables: {a: {default: b, enum: []}}}]\n",
      "server-enum-empty", "/servers/0/variables/a/enum" },
    { "no choice in 3.1", HEAD_3_1,
      "paths: {}\nservers: [{url: '/{a}', variables: {a: {default: b, enum: []}}}]\n",
      "server-enum-empty", "/servers/0/variables/a/enum" },
    { "another choice", HEAD_3_0,
      "paths: {}\nservers: [{url: '/{a}', variables: {a: {default: b, enum: [c]}}}]\n",
      "server-default-not-in-enum", "/servers/0/variables/a/default" },
    { "another choice in 3.1", HEAD_3_1,
      "paths: {}\nservers: [{url: '/{a}', variables: {a: {default: b, enum: [c]}}}]\n",
      "server-default-not-in-enum", "/servers/0/variables/a/default" },
    { "a slash at the end", HEAD_3_0, "paths: {}\nservers: [{url: /v1/}]\n",
      "server-trailing-slash", "/servers/0/url" },
    { "a query", HEAD_3_0, "paths: {}\nservers: [{url: '/v1?a=b'}]\n", "server-query",
      "/servers/0/url" },
    { "a query in 3.2", HEAD_3_2, "paths: {}\nservers: [{url: '/v1?a=b'}]\n", "server-query",
      "/servers/0/url" },
    { "a variable twice in a server of 3.2", HEAD_3_2,
      "paths: {}\nservers: [{url: '/{a}/{a}', variables: {a: {default: b}}}]\n",
      "server-variable-repeated", "/servers/0/url" },
    { "a blank in a server of 3.2", HEAD_3_2, "paths: {}\nservers: [{url: 'https://a b/'}]\n",
      "server-url-format", "/servers/0/url" },
    { "plain HTTP", HEAD_3_0, "paths: {}\nservers: [{url: 'http://a.test'}]\n", "http-server",
      "/servers/0/url" },
    { "plain HTTP in 2.0", HEAD_2_0, "paths: {}\nschemes: [http]\n", "http-server", "/schemes" },
    { "an example", HEAD_3_0, "paths: {}\nservers: [{url: 'https://api.example.com'}]\n",
      "server-example", "/servers/0/url" },

    /* paths */
    { "no slash", HEAD_3_0, "paths: {a: {}}", "path-slash", "/paths/a" },
    { "a path with a query", HEAD_3_0, "paths: {'/a?b': {}}", "path-query", "/paths/~1a?b" },
    { "a path with a slash at its end", HEAD_3_0, "paths: {/a/: {}}", "path-trailing-slash",
      "/paths/~1a~1" },
    { "a brace in a brace", HEAD_3_0, "paths: {'/{a{b}}': {}}", "path-braces", "/paths/~1{a{b}}" },
    { "a variable without name", HEAD_3_0, "paths: {'/{}': {}}", "path-variable-empty",
      "/paths/~1{}" },
    { "a variable twice", HEAD_3_0, "paths: {'/{a}/{a}': {}}", "path-variable-repeated",
      "/paths/~1{a}~1{a}" },
    { "a variable without parameter", HEAD_3_0,
      "paths: {'/{a}': {get: {operationId: a, " RESPONSES "}}}", "path-parameter-missing",
      "/paths/~1{a}/get" },
    { "a parameter without variable", HEAD_3_0,
      PARAMETER("name: b, in: path, required: true, schema: {}"), "path-parameter-unused",
      "/paths/~1a/get/parameters/0" },
    { "the same path", HEAD_3_0, "paths: {'/a/{x}': {}, '/a/{y}': {}}", "conflicting-paths",
      "/paths/~1a~1{y}" },
    { "a blank in a path of 3.2", HEAD_3_2, "paths: {/a b: {}}", "path-format", "/paths/~1a b" },
    { "paths that both match", HEAD_3_0, "paths: {'/a/{x}': {}, '/{y}/b': {}}", "ambiguous-paths",
      "/paths/~1{y}~1b" },

    /* operations and responses */
    { "an id twice", HEAD_3_0,
      "paths: {/a: {get: {operationId: a, " RESPONSES "}, put: {operationId: a, " RESPONSES "}}}",
      "operation-id-unique", "/paths/~1a/put/operationId" },
    { "an id with a slash", HEAD_3_0, "paths: {/a: {get: {operationId: a/b, " RESPONSES "}}}",
      "operation-id-url-safe", "/paths/~1a/get/operationId" },
    { "an id with a blank", HEAD_3_0, "paths: {/a: {get: {operationId: a b, " RESPONSES "}}}",
      "operation-id-spaces", "/paths/~1a/get/operationId" },
    { "no id", HEAD_3_0, "paths: {/a: {get: {" RESPONSES "}}}", "operation-id-missing",
      "/paths/~1a/get" },
    { "an unknown tag", HEAD_3_0, OPERATION("tags: [a]"), "tag-undeclared",
      "/paths/~1a/get/tags/0" },
    { "a tag twice in an operation", HEAD_3_0, OPERATION("tags: [a, a]"), "operation-tag-repeated",
      "/paths/~1a/get/tags/1" },
    { "GET with a body", HEAD_3_0, OPERATION("requestBody: {content: {a/b: {}}}"),
      "body-without-meaning", "/paths/~1a/get" },
    { "GET with a body in 2.0", HEAD_2_0, PARAMETER("name: a, in: body, schema: {}"),
      "body-without-meaning", "/paths/~1a/get" },
    { "a method with a blank", HEAD_3_2, "paths: {/a: {additionalOperations: {a b: {}}}}",
      "method-token", "/paths/~1a/additionalOperations/a b" },
    { "a method with a field", HEAD_3_2, "paths: {/a: {additionalOperations: {POST: {}}}}",
      "method-has-a-field", "/paths/~1a/additionalOperations/POST" },
    { "no response", HEAD_3_0, "paths: {/a: {get: {responses: {}}}}", "responses-empty",
      "/paths/~1a/get/responses" },
    { "no code", HEAD_3_0, "paths: {/a: {get: {responses: {ok: {description: d}}}}}",
      "response-code", "/paths/~1a/get/responses/ok" },
    { "a range in lower case", HEAD_3_0, "paths: {/a: {get: {responses: {2xx: {description: d}}}}}",
      "response-code", "/paths/~1a/get/responses/2xx" },
    { "a range in 2.0", HEAD_2_0, "paths: {/a: {get: {responses: {2XX: {description: d}}}}}",
      "response-code", "/paths/~1a/get/responses/2XX" },
    { "600", HEAD_3_0, "paths: {/a: {get: {responses: {600: {description: d}}}}}", "response-code",
      "/paths/~1a/get/responses/600" },
    { "no success", HEAD_3_0, "paths: {/a: {get: {responses: {400: {description: d}}}}}",
      "no-success-response", "/paths/~1a/get/responses" },
    { "content of 204", HEAD_3_0,
      "paths: {/a: {get: {responses: {204: {description: d, content: {a/b: {}}}}}}}",
      "content-forbidden", "/paths/~1a/get/responses/204" },
    { "no expression", HEAD_3_0, OPERATION("callbacks: {c: {'{$request.foo}': {}}}"),
      "callback-expression", "/paths/~1a/get/callbacks/c/{$request.foo}" },
    { "an expression of no parameter", HEAD_3_0,
      OPERATION("callbacks: {c: {'{$request.query.q}': {}}}"), "expression-parameter",
      "/paths/~1a/get/callbacks/c/{$request.query.q}" },

    /* parameters */
    { "an optional part of the path", HEAD_3_0, PARAMETER("name: a, in: path, schema: {}"),
      "path-parameter-required", "/paths/~1a/get/parameters/0" },
    { "a parameter accept", HEAD_3_0, PARAMETER("name: accept, in: header, schema: {}"),
      "header-parameter-ignored", "/paths/~1a/get/parameters/0" },
    { "neither schema nor content", HEAD_3_0, PARAMETER("name: a, in: query"),
      "parameter-schema-or-content", "/paths/~1a/get/parameters/0" },
    { "both schema and content", HEAD_3_0,
      PARAMETER("name: a, in: query, schema: {}, content: {a/b: {}}"),
      "parameter-schema-or-content", "/paths/~1a/get/parameters/0" },
    { "content of two types", HEAD_3_0,
      PARAMETER("name: a, in: query, content: {a/b: {}, a/c: {}}"), "parameter-content-one",
      "/paths/~1a/get/parameters/0/content" },
    { "a style of the path in the query", HEAD_3_0,
      PARAMETER("name: a, in: query, style: matrix, schema: {}"), "parameter-style",
      "/paths/~1a/get/parameters/0/style" },
    { "style cookie before 3.2", HEAD_3_1,
      PARAMETER("name: a, in: cookie, style: cookie, schema: {}"), "parameter-style",
      "/paths/~1a/get/parameters/0/style" },
    { "a parameter twice", HEAD_3_0,
      OPERATION("parameters: [{name: a, in: query, schema: {}}, {name: a, in: query, schema: {}}]"),
      "parameter-repeated", "/paths/~1a/get/parameters/1" },
    { "no type in 2.0", HEAD_2_0, PARAMETER("name: a, in: query"), "parameter-type-required",
      "/paths/~1a/get/parameters/0" },
    { "list or scalar", HEAD_3_1, PARAMETER("name: a, in: query, schema: {type: [array, string]}"),
      "parameter-type-ambiguous", "/paths/~1a/get/parameters/0" },
    { "an empty value in a header", HEAD_3_0,
      PARAMETER("name: a, in: header, allowEmptyValue: true, schema: {}"), "allow-empty-value",
      "/paths/~1a/get/parameters/0" },
    { "reserved in a header", HEAD_3_0,
      PARAMETER("name: a, in: header, allowReserved: true, schema: {}"), "allow-reserved",
      "/paths/~1a/get/parameters/0" },
    { "a default of what must be there", HEAD_3_0,
      PARAMETER("name: a, in: query, required: true, schema: {default: 1}"),
      "required-with-default", "/paths/~1a/get/parameters/0" },
    { "a query string with a schema", HEAD_3_2, PARAMETER("name: a, in: querystring, schema: {}"),
      "querystring-content", "/paths/~1a/get/parameters/0" },
    { "two query strings", HEAD_3_2,
      OPERATION("parameters: [{name: a, in: querystring, content: {a/b: {}}}, {name: b, in: "
                "querystring, content: {a/b: {}}}]"),
      "querystring-repeated", "/paths/~1a/get/parameters" },
    { "query string and query", HEAD_3_2,
      OPERATION("parameters: [{name: a, in: querystring, content: {a/b: {}}}, {name: b, in: "
                "query, schema: {}}]"),
      "querystring-and-query", "/paths/~1a/get/parameters" },
    { "a body without schema", HEAD_2_0, PARAMETER("name: a, in: body"), "body-schema-required",
      "/paths/~1a/get/parameters/0" },
    { "a body with a type", HEAD_2_0, PARAMETER("name: a, in: body, schema: {}, type: object"),
      "parameter-field", "/paths/~1a/get/parameters/0/type" },
    { "a query with a schema", HEAD_2_0, PARAMETER("name: a, in: query, type: string, schema: {}"),
      "parameter-field", "/paths/~1a/get/parameters/0/schema" },
    { "two bodies", HEAD_2_0,
      OPERATION("parameters: [{name: a, in: body, schema: {}}, {name: b, in: body, schema: {}}]"),
      "body-parameter-repeated", "/paths/~1a/get/parameters" },
    { "a body and a form", HEAD_2_0,
      OPERATION("parameters: [{name: a, in: body, schema: {}}, {name: b, in: formData, type: "
                "string}]"),
      "body-and-form", "/paths/~1a/get/parameters" },
    { "multi in a header", HEAD_2_0,
      PARAMETER("name: a, in: header, type: array, items: {type: string}, collectionFormat: multi"),
      "collection-format-multi", "/paths/~1a/get/parameters/0" },
    { "a file in the query", HEAD_2_0, PARAMETER("name: a, in: query, type: file"), "file-in-form",
      "/paths/~1a/get/parameters/0" },
    { "an unused file in the query", HEAD_2_0,
      "paths: {}\nparameters: {p: {name: a, in: query, type: file}}\n", "file-in-form",
      "/parameters/p" },
    { "a file without a form", HEAD_2_0, PARAMETER("name: a, in: formData, type: file"),
      "file-in-form", "/paths/~1a/get/parameters/0" },
    { "a file in an operation of JSON only", HEAD_2_0 "consumes: [multipart/form-data]\n",
      OPERATION("consumes: [application/json], parameters: [{name: a, in: formData, type: file}]"),
      "file-in-form", "/paths/~1a/get/parameters/0" },
    { "a file of the path without a form", HEAD_2_0,
      BOTH("{name: a, in: formData, type: file}", "summary: s"), "file-in-form",
      "/paths/~1a/post" },
    { "a body of the path and one of the operation", HEAD_2_0,
      BOTH("{name: a, in: body, schema: {}}", "parameters: [{name: b, in: body, schema: {}}]"),
      "body-parameter-repeated", "/paths/~1a/post/parameters" },
    { "a body of the path and a form", HEAD_2_0,
      BOTH("{name: a, in: body, schema: {}}",
           "parameters: [{name: b, in: formData, type: string}]"),
      "body-and-form", "/paths/~1a/post/parameters" },
    { "a form of the path and a body", HEAD_2_0,
      BOTH("{name: b, in: formData, type: string}",
           "parameters: [{name: a, in: body, schema: {}}]"),
      "body-and-form", "/paths/~1a/post/parameters" },
    { "two bodies of the path", HEAD_2_0,
      BOTH("{name: a, in: body, schema: {}}, {name: b, in: body, schema: {}}", "summary: s"),
      "body-parameter-repeated", "/paths/~1a/parameters" },
    { "a query of the path and a query string as a whole", HEAD_3_2,
      BOTH("{name: a, in: query, schema: {}}",
           "parameters: [{name: b, in: querystring, content: {a/b: {}}}]"),
      "querystring-and-query", "/paths/~1a/post/parameters" },
    { "a body of the path that a GET has", HEAD_2_0,
      "paths: {/a: {parameters: [{name: a, in: body, schema: {}}], get: {" RESPONSES "}}}\n",
      "body-without-meaning", "/paths/~1a/get" },

    /* bodies, headers, links, examples */
    { "no media type", HEAD_3_0, "paths: {}\ncomponents: {requestBodies: {b: {content: {}}}}\n",
      "content-empty", "/components/requestBodies/b/content" },
    { "encoding of JSON", HEAD_3_0, JSON_BODY("encoding: {}"), "encoding-without-form",
      "/paths/~1a/post/requestBody/content/application~1json/encoding" },
    { "encoding of no property", HEAD_3_0,
      JSON_BODY("schema: {properties: {a: {}}}, encoding: {b: {}}"), "encoding-property",
      "/paths/~1a/post/requestBody/content/application~1json/encoding/b" },
    { "two kinds of encoding", HEAD_3_2, JSON_BODY("encoding: {}, itemEncoding: {}"),
      "encoding-exclusive", "/paths/~1a/post/requestBody/content/application~1json" },
    { "a header with a place", HEAD_3_0,
      "paths: {}\ncomponents: {headers: {h: {in: header, schema: {}}}}\n", "header-name-or-in",
      "/components/headers/h" },
    { "a header Content-Type", HEAD_3_0,
      "paths: {}\ncomponents: {responses: {r: {description: d, headers: {content-type: {schema: "
      "{}}}}}}\n",
      "header-content-type", "/components/responses/r/headers/content-type" },
    { "a header with a blank", HEAD_3_2,
      "paths: {}\ncomponents: {responses: {r: {headers: {a b: {schema: {}}}}}}\n", "header-token",
      "/components/responses/r/headers/a b" },
    { "example and examples", HEAD_3_0,
      PARAMETER("name: a, in: query, schema: {}, example: 1, examples: {}"), "example-or-examples",
      "/paths/~1a/get/parameters/0" },
    { "two values", HEAD_3_0,
      "paths: {}\ncomponents: {examples: {e: {value: 1, externalValue: a}}}\n", "example-value",
      "/components/examples/e" },
    { "value and data", HEAD_3_2,
      "paths: {}\ncomponents: {examples: {e: {value: 1, dataValue: 1}}}\n", "example-value",
      "/components/examples/e" },
    { "an example of what is not produced", HEAD_2_0,
      "produces: [text/xml]\npaths: {/a: {get: {responses: {200: {description: d, examples: "
      "{a/b: 1}}}}}}",
      "example-not-produced", "/paths/~1a/get/responses/200/examples/a~1b" },
    { "an example of another type", HEAD_3_0, JSON_BODY("schema: {type: string}, example: 1"),
      "example-invalid", "/paths/~1a/post/requestBody/content/application~1json/example" },
    { "one of the examples", HEAD_3_0,
      JSON_BODY("schema: {type: string}, examples: {e: {value: 1}}"), "example-invalid",
      "/paths/~1a/post/requestBody/content/application~1json/examples/e/value" },
    { "an example of 2.0", HEAD_2_0,
      "paths: {/a: {get: {responses: {200: {description: d, schema: {type: string}, examples: "
      "{application/json: 1}}}}}}",
      "example-invalid", "/paths/~1a/get/responses/200/examples/application~1json" },
    { "a link to nothing", HEAD_3_0, "paths: {}\ncomponents: {links: {l: {operationId: a}}}\n",
      "link-target", "/components/links/l/operationId" },
    { "a link by a bad reference", HEAD_3_0,
      "paths: {}\ncomponents: {links: {l: {operationRef: '#/paths'}}}\n", "link-target",
      "/components/links/l/operationRef" },
    { "a link without target", HEAD_3_0, "paths: {}\ncomponents: {links: {l: {}}}\n",
      "link-ref-or-id", "/components/links/l" },

    /* schemas */
    { "two types in 3.0", HEAD_3_0, SCHEMA("type: [string, integer]"), "schema-type",
      "/components/schemas/S/type" },
    { "a file in an answer of an object", HEAD_2_0,
      "paths: {}\nresponses: {r: {description: d, schema: {properties: {a: {type: file}}}}}\n",
      "schema-type", "/responses/r/schema/properties/a/type" },
    { "a file with a name", HEAD_2_0, DEFINITION("type: file"), "schema-type",
      "/definitions/S/type" },
    { "a file in 3.0", HEAD_3_0,
      "paths: {}\ncomponents: {responses: {r: {description: d, content: {a/b: {schema: {type: "
      "file}}}}}}\n",
      "schema-type", "/components/responses/r/content/a~1b/schema/type" },
    { "a file as a body", HEAD_2_0, PARAMETER("name: a, in: body, schema: {type: file}"),
      "schema-type", "/paths/~1a/get/parameters/0/schema/type" },
    { "type null in 3.0", HEAD_3_0, SCHEMA("type: 'null'"), "schema-type",
      "/components/schemas/S/type" },
    { "no type in 3.1", HEAD_3_1, SCHEMA("type: int"), "schema-type",
      "/components/schemas/S/type" },
    { "no type in a list", HEAD_3_1, SCHEMA("type: [int]"), "schema-type",
      "/components/schemas/S/type/0" },
    { "a type twice", HEAD_3_1, SCHEMA("type: [string, string]"), "schema-type-repeated",
      "/components/schemas/S/type/1" },
    { "an array of nothing", HEAD_3_0, SCHEMA("type: array"), "items-required",
      "/components/schemas/S" },
    { "an array of nothing in 2.0", HEAD_2_0, PARAMETER("name: a, in: query, type: array"),
      "items-required", "/paths/~1a/get/parameters/0" },
    { "a format of another type", HEAD_3_0, SCHEMA("type: string, format: int32"),
      "type-format-mismatch", "/components/schemas/S" },
    { "minimum above maximum", HEAD_3_0, SCHEMA("minimum: 2, maximum: 1"), "bounds-exclude-all",
      "/components/schemas/S" },
    { "minLength above maxLength", HEAD_3_0, SCHEMA("minLength: 2, maxLength: 1"),
      "bounds-exclude-all", "/components/schemas/S" },
    { "minContains above maxContains", HEAD_3_1, SCHEMA("minContains: 2, maxContains: 1"),
      "bounds-exclude-all", "/components/schemas/S" },
    { "a multiple of 0", HEAD_3_0, SCHEMA("multipleOf: 0"), "multiple-of-not-positive",
      "/components/schemas/S/multipleOf" },
    { "no choice in a schema", HEAD_3_0, SCHEMA("enum: []"), "enum-empty",
      "/components/schemas/S/enum" },
    { "a choice twice", HEAD_3_0, SCHEMA("enum: [1, 1.0]"), "enum-repeated",
      "/components/schemas/S/enum/1" },
    { "a choice of another type", HEAD_3_0, SCHEMA("type: string, enum: [1]"), "enum-type",
      "/components/schemas/S/enum/0" },
    { "const with enum", HEAD_3_1, SCHEMA("const: 1, enum: [2]"), "const-not-in-enum",
      "/components/schemas/S/const" },
    { "nothing required", HEAD_3_0, SCHEMA("required: []"), "required-empty",
      "/components/schemas/S/required" },
    { "required twice", HEAD_3_0, SCHEMA("required: [a, a]"), "required-repeated",
      "/components/schemas/S/required/1" },
    { "required and unknown", HEAD_3_0, SCHEMA("required: [a], properties: {b: {}}"),
      "required-property", "/components/schemas/S/required/0" },
    { "for reading and writing", HEAD_3_0, SCHEMA("readOnly: true, writeOnly: true"),
      "read-and-write-only", "/components/schemas/S" },
    { "nullable alone", HEAD_3_0, SCHEMA("nullable: true"), "nullable-without-type",
      "/components/schemas/S" },
    { "nullable in 3.1", HEAD_3_1, SCHEMA("nullable: true"), "nullable-removed",
      "/components/schemas/S/nullable" },
    { "example in 3.1", HEAD_3_1, SCHEMA("example: 1"), "example-deprecated",
      "/components/schemas/S/example" },
    { "an unknown dialect", HEAD_3_1, SCHEMA("$schema: 'https://a.test'"), "dialect-unknown",
      "/components/schemas/S/$schema" },
    { "two kinds of XML", HEAD_3_2, SCHEMA("xml: {nodeType: text, attribute: true}"),
      "xml-node-type", "/components/schemas/S/xml" },
    { "a discriminator that may lack", HEAD_2_0,
      DEFINITION("discriminator: a, properties: {a: {type: string}}"), "discriminator-property",
      "/definitions/S/discriminator" },
    { "a discriminator of nothing", HEAD_3_0, SCHEMA("discriminator: {propertyName: a}"),
      "discriminator-alone", "/components/schemas/S/discriminator" },
    { "a mapping to nothing", HEAD_3_0,
      SCHEMA("oneOf: [], discriminator: {propertyName: a, mapping: {b: '#/x'}}"),
      "discriminator-mapping", "/components/schemas/S/discriminator/mapping/b" },
    { "text and number at once", HEAD_3_0, SCHEMA("allOf: [{type: string}, {type: integer}]"),
      "all-of-types", "/components/schemas/S/allOf/1" },
    { "all of nothing", HEAD_3_0, SCHEMA("allOf: []"), "schemas-empty",
      "/components/schemas/S/allOf" },
    { "an anchor that begins with a digit", HEAD_3_1, SCHEMA("$anchor: 1a"), "anchor-format",
      "/components/schemas/S/$anchor" },
    { "an $id with a fragment", HEAD_3_1, SCHEMA("$id: 'https://a.test/s#a'"), "id-fragment",
      "/components/schemas/S/$id" },
    { "a dependency twice", HEAD_3_1, SCHEMA("dependentRequired: {a: [b, b]}"), "required-repeated",
      "/components/schemas/S/dependentRequired/a/1" },
    { "no choice in a schema of 3.1", HEAD_3_1, SCHEMA("enum: []"), "enum-empty",
      "/components/schemas/S/enum" },
    { "for reading and writing in 3.1", HEAD_3_1, SCHEMA("readOnly: true, writeOnly: true"),
      "read-and-write-only", "/components/schemas/S" },
    { "a discriminator that may lack in 3.2", HEAD_3_2,
      SCHEMA("properties: {a: {type: string}}, discriminator: {propertyName: a}"),
      "discriminator-default-mapping", "/components/schemas/S/discriminator" },
    { "a default mapping to nothing", HEAD_3_2,
      SCHEMA("oneOf: [{}], discriminator: {propertyName: a, defaultMapping: '#/x'}"),
      "discriminator-mapping", "/components/schemas/S/discriminator/defaultMapping" },
    { "a default of another type", HEAD_3_0, SCHEMA("type: string, default: 1"), "default-type",
      "/components/schemas/S/default" },
    { "a default of another type in 2.0", HEAD_2_0, DEFINITION("type: boolean, default: 'true'"),
      "default-type", "/definitions/S/default" },
    { "a default of another type in 3.1", HEAD_3_1, SCHEMA("type: string, default: 1"),
      "default-invalid", "/components/schemas/S/default" },
    { "no default, said by null", HEAD_3_0, SCHEMA("type: string, default: null"),
      "default-invalid", "/components/schemas/S/default" },
    { "a default that is too short", HEAD_3_0, SCHEMA("type: string, minLength: 2, default: a"),
      "default-invalid", "/components/schemas/S/default" },
    { "a default of a parameter of 2.0", HEAD_2_0,
      PARAMETER("name: a, in: query, type: integer, default: x"), "default-type",
      "/paths/~1a/get/parameters/0/default" },
    { "a default of items of 2.0", HEAD_2_0,
      PARAMETER("name: a, in: query, type: array, items: {type: integer, default: x}"),
      "default-type", "/paths/~1a/get/parameters/0/items/default" },
    { "a default of a header of 2.0", HEAD_2_0,
      "paths: {}\nresponses: {r: {description: d, headers: {h: {type: integer, default: x}}}}\n",
      "default-type", "/responses/r/headers/h/default" },
    { "an example of a schema", HEAD_3_0, SCHEMA("type: string, example: 1"),
      "schema-example-invalid", "/components/schemas/S/example" },
    { "one of a schema's examples", HEAD_3_1, SCHEMA("type: string, examples: [1]"),
      "schema-example-invalid", "/components/schemas/S/examples/0" },

    /* security */
    { "a key without a place", HEAD_3_0, SECURITY("type: apiKey, name: a"), "api-key-field",
      "/components/securitySchemes/s" },
    { "http without a scheme", HEAD_3_0, SECURITY("type: http"), "http-scheme-required",
      "/components/securitySchemes/s" },
    { "an unregistered scheme", HEAD_3_0, SECURITY("type: http, scheme: magic"),
      "http-scheme-unknown", "/components/securitySchemes/s" },
    { "a bearer's format of basic", HEAD_3_0,
      SECURITY("type: http, scheme: Basic, bearerFormat: a"), "bearer-format",
      "/components/securitySchemes/s" },
    { "oauth2 without flows", HEAD_3_0, SECURITY("type: oauth2"), "oauth2-field",
      "/components/securitySchemes/s" },
    { "oauth2 without any flow", HEAD_3_0, SECURITY("type: oauth2, flows: {}"), "oauth2-field",
      "/components/securitySchemes/s/flows" },
    { "a flow without its URL", HEAD_3_0, SECURITY("type: oauth2, flows: {implicit: {scopes: {}}}"),
      "oauth2-flow-url", "/components/securitySchemes/s/flows/implicit" },
    { "a flow without its URL in 2.0", HEAD_2_0,
      "paths: {}\nsecurityDefinitions: {s: {type: oauth2, flow: password, scopes: {}}}\n",
      "oauth2-flow-url", "/securityDefinitions/s" },
    { "OpenID without its URL", HEAD_3_0, SECURITY("type: openIdConnect"), "open-id-connect-url",
      "/components/securitySchemes/s" },
    { "a style with content", HEAD_3_2,
      PARAMETER("name: a, in: querystring, style: form, content: {application/json: {}}"),
      "style-with-content", "/paths/~1a/get/parameters/0/style" },
    { "explode with content", HEAD_3_1,
      PARAMETER("name: a, in: query, explode: true, content: {application/json: {}}"),
      "style-with-content", "/paths/~1a/get/parameters/0/explode" },
    { "a style with content in a header", HEAD_3_2,
      "paths: {}\ncomponents: {headers: {H: {style: simple, content: {text/plain: {}}}}}\n",
      "style-with-content", "/components/headers/H/style" },
    { "a header parameter of odd letters", HEAD_3_2,
      PARAMETER("name: 'Bad[Header]', in: header, schema: {}"), "header-token",
      "/paths/~1a/get/parameters/0/name" },
    { "braces in the name of a path parameter", HEAD_3_2,
      "paths: {}\ncomponents: {parameters: {p: {name: 'a{b}', in: path, required: true, schema: "
      "{}}}}\n",
      "parameter-name", "/components/parameters/p/name" },
    { "allowReserved, even if it is false", HEAD_3_1,
      PARAMETER("name: a, in: header, allowReserved: false, schema: {}"), "allow-reserved",
      "/paths/~1a/get/parameters/0" },
    { "allowReserved in the path before 3.2", HEAD_3_1,
      "paths: {}\ncomponents: {parameters: {p: {name: a, in: path, required: true, allowReserved: "
      "true, schema: {}}}}\n",
      "allow-reserved", "/components/parameters/p" },
    { "allowReserved with style cookie", HEAD_3_2,
      PARAMETER("name: a, in: cookie, style: cookie, allowReserved: true, schema: {}"),
      "allow-reserved", "/paths/~1a/get/parameters/0" },
    { "allowReserved of a header", HEAD_3_1,
      "paths: {}\ncomponents: {headers: {H: {allowReserved: false, schema: {}}}}\n",
      "unknown-field", "/components/headers/H/allowReserved" },
    { "allowEmptyValue, even if it is false", HEAD_3_1,
      PARAMETER("name: a, in: cookie, allowEmptyValue: false, schema: {}"), "allow-empty-value",
      "/paths/~1a/get/parameters/0" },
    { "two encodings within an encoding", HEAD_3_2,
      "paths: {}\ncomponents: {mediaTypes: {M: {prefixEncoding: [{encoding: {}, itemEncoding: "
      "{}}]}}}\n",
      "encoding-exclusive", "/components/mediaTypes/M/prefixEncoding/0" },
    { "encodings by place outside of multipart", HEAD_3_2, JSON_BODY("prefixEncoding: [{}]"),
      "encoding-without-form",
      "/paths/~1a/post/requestBody/content/application~1json/prefixEncoding" },
    { "encodings by place of no array", HEAD_3_2,
      "paths: {}\ncomponents: {mediaTypes: {M: {schema: {type: object}, itemEncoding: {}}}}\n",
      "encoding-without-array", "/components/mediaTypes/M" },
    { "mutualTLS before 3.1", HEAD_3_0, SECURITY("type: mutualTLS"), "mutual-tls-for-3-1-plus",
      "/components/securitySchemes/s" },
    { "a token by plain HTTP", HEAD_3_0,
      SECURITY("type: openIdConnect, openIdConnectUrl: 'http://a.test'"), "security-url-https",
      "/components/securitySchemes/s/openIdConnectUrl" },
    { "an unknown scheme", HEAD_3_0, OPERATION("security: [{a: []}]"), "security-undefined",
      "/paths/~1a/get/security/0/a" },
    { "an unknown scope", HEAD_3_0,
      "security: [{s: [b]}]\npaths: {}\ncomponents: {securitySchemes: {s: {type: oauth2, flows: "
      "{password: {tokenUrl: a, scopes: {a: d}}}}}}\n",
      "scope-undeclared", "/security/0/s/0" },
    { "scopes of a key", HEAD_3_0,
      "security: [{s: [b]}]\npaths: {}\ncomponents: {securitySchemes: {s: {type: http, scheme: "
      "basic}}}\n",
      "scopes-without-oauth", "/security/0/s" },
};

/* ---- running the requests ---- */

static void run_on(struct reading *run, const char *head, const char *text)
{
    scoped(mem_free) char *whole = str_format("%s%s", head ? head : "", text);
    if (reading_of(run, text_of(whole)))
        (void)check_document(&run->check);
}

static bool is_finding(const struct finding *finding, const char *rule, const char *path)
{
    scoped(buf_free) struct buf at = BUF(4096);
    node_path(finding->node, &at);
    return strcmp(finding->rule, rule) == 0 && strcmp(buf_str(&at), path) == 0;
}

static bool has_finding(const struct reading *run, const char *rule, const char *path)
{
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        for (size_t i = 0; i < run->findings->count[level]; i++)
            if (is_finding(&run->findings->item[level][i], rule, path))
                return true;
    return false;
}

/* Print the actual findings after a failure. */
static void print_findings(const struct reading *run)
{
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        for (size_t i = 0; i < run->findings->count[level]; i++) {
            const struct finding *finding = &run->findings->item[level][i];
            print_message("%s, line %u: %s\n", finding->rule, finding->line, finding->message);
        }
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(reading_free) struct reading run;
    run_on(&run, row->head, row->text);
    bool found = has_finding(&run, row->rule, row->path);
    if (!found)
        print_findings(&run);
    assert_true(found);
}

/* ---- validity ---- */

static const struct level_row {
    const char *name;
    const char *head;
    const char *text;
    size_t errors;
    size_t warnings;
} level_rows[] = {
    { "a field of a later version", HEAD_3_0, "paths: {}\nservers: [{url: /}]\nwebhooks: {}\n", 1,
      0 },
    { "a field of a still later version", HEAD_3_1,
      "paths: {}\nservers: [{url: /}]\n$self: https://a.test/\n", 1, 0 },
    { "a keyword of JSON Schema before 3.1", HEAD_3_0,
      "servers: [{url: /}]\n" PARAMETER("name: a, in: query, schema: {const: 1}"), 1, 1 },
    { "mutualTLS before 3.1", HEAD_3_0,
      "servers: [{url: /}]\nsecurity: [{s: []}]\n" SECURITY("type: mutualTLS"), 1, 0 },
    { "a tag that means nothing here", HEAD_3_1, "paths: {}\nservers: [{url: /}]\nx-a: !mine 1\n",
      0, 1 },
    { "allowEmptyValue in a header of 3.0", HEAD_3_0,
      "servers: [{url: /}]\n" PARAMETER("name: a, in: header, allowEmptyValue: true, schema: {}"),
      0, 2 },
    { "a media type with a description in 3.2", HEAD_3_2,
      "servers: [{url: /}]\npaths: {/a: {post: {operationId: a, security: [], " RESPONSES
      ", requestBody: "
      "{content: {text/plain: {$ref: '#/components/mediaTypes/M'}}}}}}\n"
      "components: {mediaTypes: {M: {description: d, schema: {}}}}\n",
      0, 1 },
    { "a body that replaces the path's", HEAD_2_0,
      BOTH("{name: a, in: body, schema: {}}",
           "security: [], parameters: [{name: a, in: body, schema: {type: object}}]"),
      0, 2 },
    { "a file of the path instead of a body", HEAD_2_0,
      BOTH("{name: a, in: formData, type: file}", "security: [], consumes: [multipart/form-data]"),
      0, 2 },
    { "a file in a vendor's form", HEAD_2_0,
      BOTH("{name: a, in: formData, type: file}",
           "security: [], consumes: [text/plain, multipart/vnd.a+form-data;v=1]"),
      0, 2 },
    { "a file in a form with a parameter", HEAD_2_0,
      BOTH("{name: a, in: formData, type: file}",
           "security: [], consumes: [application/x-www-form-urlencoded; charset=utf-8]"),
      0, 2 },
    { "two bodies of the path are reported once", HEAD_2_0,
      BOTH("{name: a, in: body, schema: {}}, {name: b, in: body, schema: {}}", "security: []"), 1,
      2 },
    { "a default of null", HEAD_3_0, "servers: [{url: /}]\n" SCHEMA("type: string, default: null"),
      0, 2 },
    { "a default of null where it may be", HEAD_3_0,
      "servers: [{url: /}]\n" SCHEMA("type: string, nullable: true, default: null"), 0, 1 },
    { "a default of no type", HEAD_3_0, "servers: [{url: /}]\n" SCHEMA("default: 1"), 0, 1 },
    { "a default of another type in 3.1", HEAD_3_1,
      "servers: [{url: /}]\n" SCHEMA("type: string, default: 1"), 0, 2 },
    { "a link into a document that was not read", HEAD_3_0,
      "servers: [{url: /}]\npaths: {/a: {$ref: 'a.yaml'}}\n"
      "components: {links: {l: {operationId: a}}}\n",
      0, 2 },
    { "a file as the answer", HEAD_2_0,
      "paths: {}\nresponses: {r: {description: d, schema: {type: file}}}\n", 0, 2 },
};

static void check_levels(void **state)
{
    const struct level_row *row = *state;
    scoped(reading_free) struct reading run;
    run_on(&run, row->head, row->text);
    print_findings(&run);
    assert_int_equal(run.findings->count[LEVEL_ERROR], row->errors);
    assert_int_equal(run.findings->count[LEVEL_WARNING], row->warnings);
}

/* ---- validity by version ---- */

#define DOCS(url)     "paths: {}\nexternalDocs: {url: '" url "'}\n"
#define SERVER(more)  "paths: {}\nservers: [{" more "}]\n"
#define MEDIA(more)   "paths: {}\ncomponents: {mediaTypes: {M: {" more "}}}\n"
#define SCHEMAS(more) "paths: {}\ncomponents: {schemas: {" more "}}\n"
#define CALLBACK(parameters, key) \
    OPERATION("parameters: [" parameters "], callbacks: {c: {'" key "': {}}}")
#define LINK(ref)                                                                             \
    "paths: {'/b/{x}': {parameters: [{name: x, in: path, required: true, schema: {}}], get: " \
    "{responses: {200: {description: d, links: {l: {operationRef: '" ref "'}}}}}}}\n"

static const struct verdict_row {
    const char *name;
    const char *head;
    const char *text;
    bool is_valid;
} verdict_rows[] = {
    /* RFC 3986 */
    { "a port of letters", HEAD_3_0, DOCS("https://a.test:io"), false },
    { "two ports", HEAD_3_0, DOCS("https://a:b:80/"), false },
    { "half an address of version 6", HEAD_3_0, DOCS("https://[::1/"), false },
    { "something behind an address of version 6", HEAD_3_0, DOCS("https://[::1]a/"), false },
    { "a bracket in a host", HEAD_3_0, DOCS("https://a]b/"), false },
    { "an address of version 6 and a port", HEAD_3_0, DOCS("https://[::1]:80/x"), true },
    { "a user and an empty port", HEAD_3_0, DOCS("https://u:p@a.test:/x?y#z"), true },
    { "two fragments", HEAD_3_0, DOCS("https://a.test/x#y#z"), false },
    { "a scheme that begins with a digit", HEAD_3_0, DOCS("1a:b"), false },
    { "a scheme of nothing", HEAD_3_0, DOCS(":b"), false },
    { "a colon in a relative path", HEAD_3_0, DOCS("./1a:b"), true },
    { "a colon in a query", HEAD_3_0, DOCS("?1:2"), true },
    { "a host and no scheme", HEAD_3_0, DOCS("//a.test:80/b"), true },
    { "a host of many ports and no scheme", HEAD_3_0, DOCS("//a:80:80"), false },
    { "a URL without a host", HEAD_3_0, DOCS("mailto:a@b.test"), true },
    { "a list of addresses in a query", HEAD_3_0, DOCS("https://a.test/?a[]=https://b:c"), true },
    { "letters beyond ASCII", HEAD_3_0, DOCS("https://m\u00fcller.test/\u00fc"), true },
    { "a relative namespace", HEAD_3_0, SCHEMA("xml: {namespace: /a}"), false },
    { "a relative namespace in 3.1", HEAD_3_1, SCHEMA("xml: {namespace: a/b}"), false },
    { "a namespace without a scheme in 3.2", HEAD_3_2, SCHEMA("xml: {namespace: //a/b}"), false },
    { "a namespace with a fragment", HEAD_3_1, SCHEMA("xml: {namespace: 'urn:a#b'}"), true },
    { "a relative namespace in 2.0", HEAD_2_0, DEFINITION("xml: {namespace: /a}"), true },
    { "braces in an operationRef", HEAD_3_0, LINK("#/paths/~1b~1{x}/get"), true },
    { "braces in an operationRef elsewhere", HEAD_3_1, LINK("https://a.test/#/paths/~1{x}/get"),
      true },
    { "braces in the URL of an operationRef", HEAD_3_0, LINK("https://a.test/{x}#/paths"), false },
    { "a blank in an operationRef", HEAD_3_0, LINK("https://a.test/#/paths/~1b {x}/get"), false },
    { "braces in an operationRef of 3.2", HEAD_3_2, LINK("#/paths/~1b~1{x}/get"), false },
    { "escaped braces in an operationRef", HEAD_3_2, LINK("#/paths/~1b~1%7Bx%7D/get"), true },

    /* servers: SHOULD in 3.0, MUST in 3.1, a grammar in 3.2 */
    { "no choice of a server in 3.0", HEAD_3_0,
      SERVER("url: '/{a}', variables: {a: {default: b, enum: []}}"), true },
    { "no choice of a server in 3.1", HEAD_3_1,
      SERVER("url: '/{a}', variables: {a: {default: b, enum: []}}"), false },
    { "a variable of a server twice in 3.1", HEAD_3_1,
      SERVER("url: '/{a}/{a}', variables: {a: {default: b}}"), true },
    { "a variable of a server twice in 3.2", HEAD_3_2,
      SERVER("url: '/{a}/{a}', variables: {a: {default: b}}"), false },
    { "a server's query in 3.1", HEAD_3_1, SERVER("url: '/a?b'"), true },
    { "a server's query in 3.2", HEAD_3_2, SERVER("url: '/a?b'"), false },
    { "a server's fragment in 3.2", HEAD_3_2, SERVER("url: '/a#b'"), false },
    { "no server's URL in 3.2", HEAD_3_2, SERVER("url: ''"), false },
    { "half an escape in a server of 3.2", HEAD_3_2, SERVER("url: '/a%zz'"), false },
    { "a blank behind a server's variable", HEAD_3_2,
      SERVER("url: '/{a} b', variables: {a: {default: b}}"), false },
    { "a server's variable without a name", HEAD_3_2,
      SERVER("url: '/{}', variables: {'': {default: b}}"), false },
    { "a blank in the name of a server's variable", HEAD_3_2,
      SERVER("url: 'https://{a b}.test/\u00fc', variables: {a b: {default: b}}"), true },

    /* paths: a grammar in 3.2 */
    { "a blank in a path before 3.2", HEAD_3_1, "paths: {/a b: {}}\n", true },
    { "a blank in a path", HEAD_3_2, "paths: {/a b: {}}\n", false },
    { "an empty part of a path", HEAD_3_2, "paths: {/a//b: {}}\n", false },
    { "two slashes", HEAD_3_2, "paths: {//: {}}\n", false },
    { "half an escape in a path", HEAD_3_2, "paths: {/a%2: {}}\n", false },
    { "a path's query", HEAD_3_2, "paths: {'/a?b': {}}\n", false },
    { "a path's fragment", HEAD_3_2, "paths: {'/a#b': {}}\n", false },
    { "a letter beyond ASCII in a path", HEAD_3_2, "paths: {'/\u00fc': {}}\n", false },
    { "brackets in a path", HEAD_3_2, "paths: {'/a[b]': {}}\n", false },
    { "a root, a slash at the end, signs, an escape", HEAD_3_2,
      "paths: {/: {}, /a/: {}, '/a:b@c;d=e,f(g)!$&*+': {}, /a%20b: {}}\n", true },
    { "anything in the name of a path's variable", HEAD_3_2, "paths: {'/{a b//c}x': {}}\n", true },

    /* encodings by position, 3.2 */
    { "places without a schema", HEAD_3_2, MEDIA("prefixEncoding: [{}]"), false },
    { "places of an object", HEAD_3_2, MEDIA("schema: {type: object}, itemEncoding: {}"), false },
    { "places of an array", HEAD_3_2, MEDIA("schema: {type: array}, itemEncoding: {}"), true },
    { "places of an array or null", HEAD_3_2,
      MEDIA("schema: {type: [array, 'null']}, prefixEncoding: [{}]"), true },
    { "places of what another document says", HEAD_3_2,
      MEDIA("schema: {$ref: a.yaml}, prefixEncoding: [{}]"), true },
    { "places of items", HEAD_3_2, MEDIA("itemSchema: {type: object}, itemEncoding: {}"), true },

    /* JSON Schema */
    { "any of nothing", HEAD_3_1, SCHEMA("anyOf: []"), false },
    { "one of nothing", HEAD_3_0, SCHEMA("oneOf: []"), false },
    { "all of nothing in 2.0", HEAD_2_0, DEFINITION("allOf: []"), false },
    { "first items of nothing", HEAD_3_2, SCHEMA("prefixItems: []"), false },
    { "a dynamic anchor with a slash", HEAD_3_1, SCHEMA("$dynamicAnchor: a/b"), false },
    { "an anchor", HEAD_3_1, SCHEMA("$anchor: _a-1.B"), true },
    { "an $id with an empty fragment", HEAD_3_1, SCHEMA("$id: 'https://a.test/s#'"), true },
    { "no choice in 2.0", HEAD_2_0, DEFINITION("enum: []"), false },
    { "no choice in 3.1", HEAD_3_1, SCHEMA("enum: []"), true },
    { "for reading and for writing in 3.1", HEAD_3_1, SCHEMA("readOnly: true, writeOnly: true"),
      true },

    /* discriminators of 3.2 */
    { "a discriminator that may lack in 3.1", HEAD_3_1,
      SCHEMA("properties: {k: {}}, discriminator: {propertyName: k}"), true },
    { "a discriminator that must be there", HEAD_3_2,
      SCHEMA("required: [k], properties: {k: {}}, discriminator: {propertyName: k}"), true },
    { "a discriminator that may lack, with a default", HEAD_3_2,
      SCHEMA("properties: {k: {}}, discriminator: {propertyName: k, defaultMapping: S}"), true },
    { "a discriminator that one choice may lack", HEAD_3_2,
      SCHEMAS("A: {properties: {k: {}}}, B: {required: [k], properties: {k: {}}}, S: {oneOf: "
              "[{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/A'}], "
              "discriminator: {propertyName: k}}"),
      false },
    { "a discriminator that no choice may lack", HEAD_3_2,
      SCHEMAS("A: {allOf: [{required: [k]}], properties: {k: {}}}, S: {anyOf: [{$ref: "
              "'#/components/schemas/A'}], discriminator: {propertyName: k}}"),
      true },
    { "a discriminator that the whole requires", HEAD_3_2,
      SCHEMAS("A: {properties: {k: {}}}, S: {required: [k], oneOf: [{$ref: "
              "'#/components/schemas/A'}], discriminator: {propertyName: k}}"),
      true },
    { "a discriminator that a part defines", HEAD_3_2,
      SCHEMAS("A: {properties: {k: {}}}, S: {$ref: '#/components/schemas/A', discriminator: "
              "{propertyName: k}}"),
      false },
    { "a discriminator of another document", HEAD_3_2,
      SCHEMAS("S: {properties: {k: {}}, allOf: [{$ref: a.yaml}], discriminator: {propertyName: "
              "k}}"),
      true },
    { "a discriminator of choices that lead to themselves", HEAD_3_2,
      SCHEMAS("S: {allOf: [{$ref: '#/components/schemas/S'}], discriminator: {propertyName: k}}"),
      true },

    /* parameters and headers */
    { "a form field with a schema", HEAD_2_0,
      PARAMETER("name: a, in: formData, type: string, schema: {}"), false },
    { "a body with a default", HEAD_2_0, PARAMETER("name: a, in: body, schema: {}, default: 1"),
      false },
    { "a body with all it may have", HEAD_2_0,
      PARAMETER("name: a, in: body, schema: {}, description: d, required: true, x-a: 1"), true },
    { "a style with content in 3.0", HEAD_3_0,
      PARAMETER("name: a, in: query, content: {text/plain: {}}, style: form"), false },
    { "an example next to content in 3.0", HEAD_3_0,
      PARAMETER("name: a, in: query, content: {text/plain: {}}, example: a"), false },
    { "examples next to content in 3.1", HEAD_3_1,
      PARAMETER("name: a, in: query, content: {text/plain: {}}, examples: {}"), false },
    { "an example next to content in 3.2", HEAD_3_2,
      PARAMETER("name: a, in: query, content: {text/plain: {}}, example: a"), true },
    { "an example within content in 3.0", HEAD_3_0,
      PARAMETER("name: a, in: query, content: {text/plain: {example: a}}"), true },
    { "a header that may be empty in 3.0", HEAD_3_0,
      "paths: {}\ncomponents: {headers: {h: {schema: {}, allowEmptyValue: false}}}\n", false },
    { "a header of reserved signs in 3.0", HEAD_3_0,
      "paths: {}\ncomponents: {headers: {h: {schema: {}, allowReserved: true}}}\n", false },

    /* runtime expressions with declared parameters */
    { "a callback to a parameter", HEAD_3_0,
      CALLBACK("{name: q, in: query, schema: {}}", "https://a.test/{$request.query.q}/b"), true },
    { "a callback to a parameter elsewhere", HEAD_3_0,
      CALLBACK("{name: q, in: header, schema: {}}", "{$request.query.q}"), false },
    { "a callback to a parameter without braces", HEAD_3_1, CALLBACK("", "$request.query.q"),
      false },
    { "a callback to a header in another case", HEAD_3_1,
      CALLBACK("{name: X-Q, in: header, schema: {}}", "{$request.header.x-q}"), true },
    { "a callback to a longer header", HEAD_3_1,
      CALLBACK("{name: X-Q2, in: header, schema: {}}", "{$request.header.x-q}"), false },
    { "a callback to a header that no list has", HEAD_3_2, CALLBACK("", "{$request.header.accept}"),
      true },
    { "a callback to a parameter of another document", HEAD_3_0,
      CALLBACK("{$ref: a.yaml}", "{$request.query.q}"), true },
    { "a callback to the body and the answer", HEAD_3_0,
      CALLBACK("", "{$request.body#/q}{$response.header.q}{$url}{$method}"), true },
    { "a callback to a parameter of the path", HEAD_3_0,
      "paths: {/a: {parameters: [{name: q, in: query, schema: {}}], post: {" RESPONSES
      ", callbacks: {c: {'{$request.query.q}': {}}}}}}\n",
      true },
    { "a callback by a reference", HEAD_3_0,
      OPERATION(
          "callbacks: {c: {$ref: '#/components/callbacks/c'}}") "components: {callbacks: {c: "
                                                                "{'{$request.query.q}': {}}}}\n",
      false },
    { "a link to no parameter", HEAD_3_0,
      "paths: {/a: {get: {operationId: a, responses: {200: {description: d, links: {l: "
      "{operationId: a, parameters: {p: $request.path.id}}}}}}}}\n",
      false },
    { "a link with a body instead of a parameter", HEAD_3_0,
      "paths: {/a: {get: {operationId: a, responses: {200: {description: d, links: {l: "
      "{operationId: a, requestBody: $request.query.q}}}}}}}\n",
      false },
    { "a link of other values", HEAD_3_0,
      "paths: {/a: {get: {operationId: a, responses: {200: {description: d, links: {l: "
      "{operationId: a, parameters: {p: $response.body#/id, q: 1, r: [request]}}}}}}}}\n",
      true },

    /* patterns that PCRE reads differently */
    { "a hyphen behind a class", HEAD_3_0, SCHEMA("pattern: '^[\\w-./:]+$'"), true },
    { "a hyphen before a class", HEAD_3_0, SCHEMA("pattern: '[.-\\d]'"), true },
    { "a hyphen between classes", HEAD_3_0, SCHEMA("pattern: '[^\\s-\\W]'"), true },
    { "a hyphen at the end", HEAD_3_0, SCHEMA("pattern: '[\\w-]-\\w-a'"), true },
    { "a bracket behind a backslash", HEAD_3_0, SCHEMA("pattern: '\\[[\\]\\w-.]'"), true },
    { "a range that ends before it begins", HEAD_3_0, SCHEMA("pattern: '[z-a]'"), false },
    { "a look behind of any length", HEAD_3_0, SCHEMA("pattern: '(?<=a+)b'"), true },
    { "more times than PCRE counts", HEAD_3_0, SCHEMA("pattern: '^.{1,100000}$'"), true },
    { "times in the wrong order", HEAD_3_0, SCHEMA("pattern: '^.{2,1}$'"), false },
    { "an end more than once", HEAD_3_0, SCHEMA("pattern: '^a$?'"), false },
};

static void check_verdict(void **state)
{
    const struct verdict_row *row = *state;
    scoped(reading_free) struct reading run;
    run_on(&run, row->head, row->text);
    print_findings(&run);
    assert_int_equal(run.findings->count[LEVEL_ERROR] == 0, row->is_valid);
}

/* ---- valid documents ---- */

static const struct good {
    const char *name;
    const char *text;
} goods[] = {
    { "2.0",
      HEAD_2_0 "host: a.test:80\nbasePath: /v1\nschemes: [https]\nsecurity: [{k: []}]\n"
               "securityDefinitions: {k: {type: apiKey, name: k, in: header}}\n"
               "consumes: [multipart/form-data]\n"
               "paths:\n  /a/{id}:\n    post:\n      operationId: a\n      parameters:\n"
               "      - {name: id, in: path, required: true, type: integer, minimum: 1}\n"
               "      - {name: f, in: formData, type: file}\n"
               "      - {name: l, in: query, type: array, items: {type: string}, "
               "collectionFormat: multi}\n"
               "      responses: {200: {description: d, schema: {$ref: '#/definitions/S'}}}\n"
               "definitions: {S: {type: object, required: [a], properties: {a: {type: "
               "string, format: date, default: 2024-02-29}}}}\n" },
    { "3.0", HEAD_3_0
      "servers: [{url: 'https://{r}.a.test', variables: {r: {default: eu, enum: [eu, us]}}}]\n"
      "security: [{k: []}]\ntags: [{name: t, description: d}]\n"
      "paths:\n  /a/{id}:\n    parameters: [{$ref: '#/components/parameters/id'}]\n    get:\n"
      "      operationId: a\n      tags: [t]\n      responses:\n        2XX:\n          "
      "description: d\n          content: {application/json: {schema: {$ref: "
      "'#/components/schemas/S'}, example: {a: null, next: {a: x}}}}\n"
      "      callbacks: {c: {'{$request.body#/u}': {post: {operationId: b, responses: {default: "
      "{description: d}}}}}}\n"
      "components:\n  securitySchemes: {k: {type: http, scheme: Bearer, bearerFormat: JWT}}\n"
      "  parameters: {id: {name: id, in: path, required: true, schema: {type: string, pattern: "
      "'^\\u0061+\\d$'}}}\n"
      "  schemas: {S: {type: object, required: [a], properties: {a: {type: string, nullable: "
      "true}, next: {$ref: '#/components/schemas/S'}}}}\n" },
    { "3.1", HEAD_3_1
      "servers: [{url: 'https://a.test'}]\nsecurity: [{k: [role]}]\n"
      "webhooks: {w: {post: {operationId: w, requestBody: {content: {application/json: {schema: "
      "{$ref: '#/components/schemas/S'}, example: {a: [1, x]}}}}, responses: {204: {description: "
      "d}}}}}\n"
      "components:\n  securitySchemes: {k: {type: mutualTLS}}\n"
      "  schemas: {S: {$id: 'https://a.test/s', type: [object, 'null'], foo: 1, properties: {a: "
      "{$ref: '#list'}, b: true}, $defs: {L: {$anchor: list, type: array, prefixItems: [{const: "
      "1}], items: {type: string, minLength: 1}}}}}\n" },
    { "3.2", HEAD_3_2
      "$self: https://a.test/o.yaml\nservers: [{url: 'https://a.test', name: n}]\n"
      "security: [{k: []}]\ntags: [{name: t, description: d}, {name: u, description: d, parent: "
      "t}]\n"
      "paths: {/a: {query: {operationId: a, tags: [u], parameters: [{name: q, in: querystring, "
      "content: {application/json: {schema: {type: object}}}}], responses: {200: {content: "
      "{application/jsonl: {itemSchema: {$ref: 'https://a.test/o.yaml#/components/schemas/S'}}}}}}"
      ", additionalOperations: {LOCK: {operationId: b}}}}\n"
      "components: {schemas: {S: {type: string, xml: {nodeType: text}}}, securitySchemes: {k: "
      "{type: oauth2, flows: {deviceAuthorization: {deviceAuthorizationUrl: /d, tokenUrl: /t, "
      "scopes: {}}}}}}\n" },
    { "JSON with \\u and big numbers",
      "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"\\u00e9\\ud83d\\ude00\",\"version\":\"1\","
      "\"description\":\"d\",\"contact\":{}},\"servers\":[{\"url\":\"/\"}],\"paths\":{},"
      "\"x-big\":12345678901234567890123}" },
    { "what YAML 1.2 calls text", HEAD_3_1 "servers: [{url: /}]\npaths: {}\ncomponents: {schemas: "
                                           "{S: {type: string, enum: [yes, no, on, y, 2024-01-01, "
                                           "1_000, 0b1, !!str 5, \"true\"]}, T: {$ref: "
                                           "'#/components/schemas/U/not'}, U: {not: {$ref: "
                                           "'#/components/schemas/S'}, anyOf: [{$ref: "
                                           "'#/components/schemas/T'}]}}}\n" },
};

static void check_good(void **state)
{
    const struct good *good = *state;
    scoped(reading_free) struct reading run;
    run_on(&run, NULL, good->text);
    size_t count = 0;
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        count += run.findings->count[level];
    if (count > 0)
        print_findings(&run);
    assert_int_equal(count, 0);
}

/* Every rule of the table has a row; CHECK_INCOMPLETE, LIMIT, DOC_NOT_FETCHED and REF_NOT_FETCHED
 * have tests. */
static void every_rule_has_a_row(void **state)
{
    static const char *const ids[] = {
#define RULE(kind, level, id, words) id,
#include "openapi-validate/document/rules.def"
    };
    (void)state;
    for (enum rule rule = 0; rule < RULE_COUNT; rule++) {
        bool found = rule == RULE_CHECK_INCOMPLETE || rule == RULE_LIMIT ||
                     rule == RULE_DOC_NOT_FETCHED || rule == RULE_REF_NOT_FETCHED;
        for (size_t i = 0; !found && i < countof(rows); i++)
            found = strcmp(rows[i].rule, ids[rule]) == 0;
        if (!found)
            fail_msg("no row for %s", ids[rule]);
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(every_rule_has_a_row) };
    return RUN_ROWS(rows, check) + RUN_ROWS(goods, check_good) +
           RUN_ROWS(level_rows, check_levels) + RUN_ROWS(verdict_rows, check_verdict) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
