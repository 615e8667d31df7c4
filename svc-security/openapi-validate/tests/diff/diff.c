/* svc-security/openapi-validate/tests/diff/diff.c - pairs of documents and their changes. */
#include "openapi-validate/diff/diff.h"

#include <glob.h>
#include <string.h>

#include "base/os/file.h"
#include "openapi-validate/tests/reading.h"
#include "rows.h"
#include "text/json.h"

/* ---- templates ---- */

#define DOC    "openapi: 3.1.0\n%s\n"
#define PATHS  "openapi: 3.1.0\npaths: {%s}\n"
#define SCHEME "openapi: 3.1.0\npaths: {}\ncomponents: {securitySchemes: {s: {%s}}}\n"
#define IN(place) \
    "openapi: 3.1.0\npaths: {'/a/{q}': {post: {parameters: [{name: q, in: " place ", %s}]}}}\n"
#define CALL "openapi: 3.1.0\npaths: {/a: {post: {%s}}}\n"
#define QUERY \
    "openapi: 3.1.0\npaths: {/a: {post: {parameters: [{name: q, in: query, schema: {%s}}]}}}\n"
#define HEADER \
    "openapi: 3.1.0\npaths: {/a: {post: {parameters: [{name: h, in: header, schema: {%s}}]}}}\n"
#define BODY                                                                                  \
    "openapi: 3.1.0\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: " \
    "{%s}}}}}}}\n"
#define REPLY                                                                            \
    "openapi: 3.1.0\npaths: {/a: {post: {responses: {200: {content: {application/json: " \
    "{schema: {%s}}}}}}}}\n"
#define BODY_3_0                                                                              \
    "openapi: 3.0.4\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: " \
    "{%s}}}}}}}\n"
#define FORM                                                      \
    "openapi: 3.1.0\npaths: {/a: {post: {requestBody: {content: " \
    "{application/x-www-form-urlencoded: {schema: {properties: {p: {%s}}}}}}}}}\n"
#define REPLY_HEADER \
    "openapi: 3.1.0\npaths: {/a: {post: {responses: {200: {headers: {X-H: {%s}}}}}}}\n"

static const struct row {
    const char *name;
    const char *document; /* with a %s for old and new */
    const char *old;
    const char *new;
    const char *want; /* all changes: "error id; info id" */
} rows[] = {
    { "a media type with parameters, in another order", CALL,
      "requestBody: {content: {a/b;v=1: {schema: {type: string}}, a/b;v=2: {schema: {type: "
      "integer}}}}",
      "requestBody: {content: {a/b;v=2: {schema: {type: integer}}, a/b;v=1: {schema: {type: "
      "string}}}}",
      "" },
    { "one of two media types that differ in parameters is gone", CALL,
      "responses: {200: {content: {a/b;v=1: {schema: {type: string}}, a/b;v=2: {schema: {type: "
      "integer}}}}}",
      "responses: {200: {content: {a/b;v=2: {schema: {type: integer}}}}}",
      "error response-media-type-removed" },
    { "a media type with another parameter", CALL,
      "requestBody: {content: {a/b;v=1: {schema: {type: string}}}}",
      "requestBody: {content: {a/b;v=2: {schema: {type: string}}}}", "" },
    { "a header twice, in another order", CALL,
      "responses: {200: {headers: {H: {schema: {type: string}}, h: {schema: {type: integer}}}}}",
      "responses: {200: {headers: {h: {schema: {type: integer}}, H: {schema: {type: string}}}}}",
      "" },
    { "a parameter in a header twice, in another order", CALL,
      "parameters: [{name: H, in: header, schema: {type: string}}, {name: h, in: header, schema: "
      "{type: integer}}]",
      "parameters: [{name: h, in: header, schema: {type: integer}}, {name: H, in: header, schema: "
      "{type: string}}]",
      "" },
    { "two parameters of no variable, in another order", PATHS,
      "'/a/{x}': {get: {parameters: [{name: b, in: path, schema: {type: string}}, {name: c, in: "
      "path, schema: {type: integer}}]}}",
      "'/a/{x}': {get: {parameters: [{name: c, in: path, schema: {type: integer}}, {name: b, in: "
      "path, schema: {type: string}}]}}",
      "" },
    /* operations */
    { "nothing", PATHS, "/a: {get: {}}", "/a: {get: {}}", "" },
    { "a path is gone", PATHS, "/a: {get: {}}", "", "error api-path-removed-without-deprecation" },
    /* invalid, but they occur */
    { "one path with two names, in another order", PATHS,
      "'/a/{x}': {get: {operationId: x}}, '/a/{y}': {get: {operationId: y}}",
      "'/a/{y}': {get: {operationId: y}}, '/a/{x}': {get: {operationId: x}}", "" },
    { "one of two names of a path is gone", PATHS,
      "'/a/{x}': {get: {operationId: x}}, '/a/{y}': {get: {operationId: y}}",
      "'/a/{y}': {get: {operationId: y}}", "error api-removed-without-deprecation" },
    { "one of two names of a path is another", PATHS,
      "'/a/{x}': {get: {operationId: x}}, '/a/{y}': {get: {operationId: y}}",
      "'/a/{a}': {get: {operationId: x}}, '/a/{y}': {get: {operationId: y}}", "" },
    { "a method is gone", PATHS, "/a: {get: {}, put: {}}", "/a: {get: {}}",
      "error api-removed-without-deprecation" },
    { "a deprecated path is gone", PATHS, "/a: {get: {deprecated: true}}", "",
      "info api-path-removed-with-deprecation" },
    { "a deprecated method is gone", PATHS, "/a: {put: {}, get: {deprecated: true}}",
      "/a: {put: {}}", "info api-removed-with-deprecation" },
    { "gone after its sunset", PATHS, "/a: {get: {deprecated: true, x-sunset: '2020-01-01'}}", "",
      "info api-path-removed-with-deprecation" },
    { "gone before its sunset", PATHS, "/a: {get: {deprecated: true, x-sunset: '2030-01-01'}}", "",
      "error api-path-removed-before-sunset" },
    { "a method before its sunset", PATHS,
      "/a: {put: {}, get: {deprecated: true, x-sunset: '2030-01-01'}}", "/a: {put: {}}",
      "error api-removed-before-sunset" },
    { "gone with a bad sunset", PATHS, "/a: {get: {deprecated: true, x-sunset: soon}}", "",
      "error api-path-sunset-parse" },
    { "a new path", PATHS, "", "/a: {get: {}}", "info endpoint-added" },
    { "another name of a variable", PATHS, "'/a/{x}': {get: {}}", "'/a/{y}': {get: {}}", "" },
    { "deprecated", CALL, "", "deprecated: true", "info endpoint-deprecated" },
    { "no longer deprecated", CALL, "deprecated: true", "", "info endpoint-reactivated" },
    { "a bad sunset", CALL, "deprecated: true", "deprecated: true, x-sunset: soon",
      "error api-deprecated-sunset-parse" },
    { "a sunset in the past", CALL, "deprecated: true", "deprecated: true, x-sunset: '2020-01-01'",
      "error api-sunset-date-too-small" },
    { "an earlier sunset", CALL, "deprecated: true, x-sunset: '2030-02-01'",
      "deprecated: true, x-sunset: '2030-01-01'", "error api-sunset-date-changed-too-small" },
    { "no sunset any more", CALL, "deprecated: true, x-sunset: '2030-02-01'", "deprecated: true",
      "error sunset-deleted" },
    { "no sunset where others have one", PATHS, "/a: {get: {}}",
      "/a: {get: {deprecated: true}}, /b: {get: {deprecated: true, x-sunset: '2030-01-01'}}",
      "error api-deprecated-sunset-missing; info endpoint-deprecated; info endpoint-added" },
    { "none since long", PATHS, "/a: {get: {deprecated: true}}",
      "/a: {get: {deprecated: true}}, /b: {get: {deprecated: true, x-sunset: '2030-01-01'}}",
      "info endpoint-added" },
    { "less stable", CALL, "x-stability-level: stable", "x-stability-level: beta",
      "error api-stability-decreased" },
    { "no stability", CALL, "", "x-stability-level: rock", "error api-invalid-stability-level" },
    { "a draft may change", PATHS, "/a: {get: {x-stability-level: draft}}", "", "" },
    { "an id", CALL, "", "operationId: a", "info api-operation-id-added" },
    { "no id", CALL, "operationId: a", "", "info api-operation-id-removed" },
    { "another tag", CALL, "tags: [a]", "tags: [b]", "info api-tag-added; info api-tag-removed" },
    { "a webhook", DOC, "paths: {}", "webhooks: {w: {post: {}}}", "info webhook-added" },
    { "no webhook", DOC, "webhooks: {w: {post: {}}}", "paths: {}", "error webhook-removed" },

    /* the document */
    { "a named schema is gone", DOC, "components: {schemas: {S: {}}}", "components: {}",
      "info api-schema-removed" },
    { "a server is gone", DOC, "servers: [{url: a}, {url: b}]", "servers: [{url: b}]",
      "warning server-removed" },
    { "another security scheme", DOC,
      "components: {securitySchemes: {s: {type: apiKey, name: a, in: header}}}",
      "components: {securitySchemes: {s: {type: apiKey, name: b, in: header}}}",
      "warning security-scheme-changed" },
    { "security of all", DOC, "", "security: [{a: []}]", "warning api-global-security-added" },
    { "no security of all", DOC, "security: [{a: []}]", "", "info api-global-security-removed" },
    { "security of one", CALL, "", "security: [{a: []}]", "warning api-security-added" },
    { "no security of one", CALL, "security: [{a: []}]", "security: []",
      "info api-security-removed" },
    { "one more way in", CALL, "security: [{a: []}]", "security: [{a: []}, {b: []}]", "" },
    { "another way in", CALL, "security: [{a: []}]", "security: [{b: []}]",
      "warning api-security-added; info api-security-removed" },
    { "ways in with one scheme, in another order", CALL, "security: [{a: [x]}, {a: [y, z]}]",
      "security: [{a: [z, y]}, {a: [x]}]", "" },
    { "ways in with one scheme, and one more", CALL, "security: [{a: [x]}]",
      "security: [{a: [y]}, {a: [x]}]", "" },
    { "ways in with one scheme, and one less", CALL, "security: [{a: [x]}, {a: [y]}]",
      "security: [{a: [y]}]", "info api-security-removed" },
    { "ways in with one scheme, and one more scope each", CALL,
      "security: [{a: [read]}, {a: [write]}]", "security: [{a: [audit, write]}, {a: [read, list]}]",
      "warning api-security-scope-added; warning api-security-scope-added" },
    { "ways in with several schemes", CALL, "security: [{a: [x], b: []}, {a: [y], b: []}]",
      "security: [{b: [], a: [y]}, {b: [], a: [x]}]", "" },
    { "the same way in twice", CALL, "security: [{a: []}, {a: []}]", "security: [{a: []}]",
      "info api-security-removed" },
    { "ways in of all with one scheme", DOC, "security: [{a: [x]}, {a: [y]}]",
      "security: [{a: [y]}, {a: [x]}]", "" },
    { "a new security scheme", DOC, "", "components: {securitySchemes: {s: {type: http}}}",
      "info api-security-component-added" },
    { "a security scheme is gone", DOC, "components: {securitySchemes: {s: {type: http}}}", "",
      "info api-security-component-removed; warning security-scheme-changed" },
    { "one of two schemes is enough", CALL, "security: [{a: [], b: []}]", "security: [{a: []}]",
      "info api-security-removed" },
    { "one of two schemes is enough, with another scope", CALL, "security: [{a: [x], b: []}]",
      "security: [{a: [y]}]", "warning api-security-added; info api-security-removed" },
    { "one of two schemes is enough, for one of two", CALL, "security: [{a: [], b: []}, {c: []}]",
      "security: [{a: []}]",
      "warning api-security-added; info api-security-removed; info api-security-removed" },
    { "other places of tokens", SCHEME,
      "type: oauth2, flows: {implicit: {authorizationUrl: 'https://a.test/'}}",
      "type: oauth2, flows: {implicit: {authorizationUrl: 'https://b.test/'}}",
      "warning security-scheme-changed" },
    { "a way to tokens is gone", SCHEME,
      "type: oauth2, flows: {implicit: {}, password: {tokenUrl: a}}",
      "type: oauth2, flows: {password: {tokenUrl: a}}", "warning security-scheme-changed" },
    { "one more way to tokens", SCHEME, "type: oauth2, flows: {password: {tokenUrl: a}}",
      "type: oauth2, flows: {implicit: {}, password: {tokenUrl: a}}", "" },
    { "a scheme that leads nowhere any more", SCHEME, "type: http",
      "$ref: '#/components/securitySchemes/s'", "warning security-scheme-changed" },
    { "other scopes", CALL, "security: [{a: [x]}]", "security: [{a: [y]}]",
      "warning api-security-scope-added; info api-security-scope-removed" },

    /* parameters */
    { "a list in other signs", IN("query"), "schema: {type: array}",
      "schema: {type: array}, style: pipeDelimited", "error request-parameter-style-changed" },
    { "a list in one value", IN("query"), "schema: {type: array}",
      "schema: {type: array}, explode: false", "error request-parameter-style-changed" },
    { "a list as it is anyway", IN("query"), "schema: {type: array}",
      "schema: {type: array}, style: form, explode: true", "" },
    { "an object in other signs", IN("query"), "schema: {type: object}",
      "schema: {type: object}, style: deepObject", "error request-parameter-style-changed" },
    { "one value in the query", IN("query"), "schema: {type: string}",
      "schema: {type: string}, explode: false", "" },
    { "one value in the path", IN("path"), "schema: {type: string}",
      "schema: {type: string}, style: matrix", "error request-parameter-style-changed" },
    { "a list in the path, which is written alike", IN("path"), "schema: {type: array}",
      "schema: {type: array}, explode: true", "" },
    { "an object in the path", IN("path"), "schema: {type: object}",
      "schema: {type: object}, explode: true", "error request-parameter-style-changed" },
    { "a list of 2.0 in other signs",
      "swagger: '2.0'\npaths: {/a: {post: {parameters: [{name: q, in: query, type: array, "
      "%s}]}}}\n",
      "items: {type: string}", "items: {type: string}, collectionFormat: pipes",
      "error request-parameter-style-changed" },
    { "a list of 2.0 in several values",
      "swagger: '2.0'\npaths: {/a: {post: {parameters: [{name: q, in: query, type: array, "
      "%s}]}}}\n",
      "items: {type: string}, collectionFormat: csv",
      "items: {type: string}, collectionFormat: multi", "error request-parameter-style-changed" },
    { "no empty values", IN("query"), "schema: {type: string}, allowEmptyValue: true",
      "schema: {type: string}", "warning request-parameter-became-not-empty" },
    { "empty values", IN("query"), "schema: {type: string}",
      "schema: {type: string}, allowEmptyValue: true", "" },
    { "a new parameter", CALL, "", "parameters: [{name: q, in: query}]",
      "info new-optional-request-parameter" },
    { "one that must be there", CALL, "", "parameters: [{name: q, in: query, required: true}]",
      "error new-required-request-parameter" },
    { "one of the whole path", PATHS, "/a: {get: {}}",
      "/a: {parameters: [{name: q, in: query, required: true}], get: {}}",
      "error new-required-request-default-parameter-to-existing-path" },
    { "one in the path", PATHS, "'/{a}': {get: {}}",
      "'/{a}': {get: {parameters: [{name: a, in: path, required: true}]}}",
      "error new-request-path-parameter" },
    { "its name does not count", PATHS,
      "'/{a}': {get: {parameters: [{name: a, in: path, required: true}]}}",
      "'/{b}': {get: {parameters: [{name: b, in: path, required: true}]}}", "" },
    { "from the path to the operation", PATHS, "/a: {parameters: [{name: q, in: query}], get: {}}",
      "/a: {get: {parameters: [{name: q, in: query}]}}", "" },
    { "a parameter is gone", CALL, "parameters: [{name: q, in: query}]", "",
      "warning request-parameter-removed" },
    { "a deprecated one", CALL, "parameters: [{name: q, in: query, deprecated: true}]", "",
      "info request-parameter-removed-with-deprecation" },
    { "before its sunset", CALL,
      "parameters: [{name: q, in: query, deprecated: true, x-sunset: '2030-01-01'}]", "",
      "error request-parameter-removed-before-sunset" },
    { "with a bad sunset", CALL,
      "parameters: [{name: q, in: query, deprecated: true, x-sunset: soon}]", "",
      "error request-parameter-sunset-parse" },
    { "without its sunset", CALL,
      "parameters: [{name: q, in: query, deprecated: true, x-sunset: '2030-01-01'}]",
      "parameters: [{name: q, in: query, deprecated: true}]",
      "error request-parameter-sunset-deleted" },
    { "with an earlier sunset", CALL,
      "parameters: [{name: q, in: query, deprecated: true, x-sunset: '2030-01-02'}]",
      "parameters: [{name: q, in: query, deprecated: true, x-sunset: '2030-01-01'}]",
      "error request-parameter-sunset-date-changed-too-small" },
    { "with a sunset in the past", CALL, "parameters: [{name: q, in: query, deprecated: true}]",
      "parameters: [{name: q, in: query, deprecated: true, x-sunset: '2020-01-01'}]",
      "error request-parameter-sunset-date-too-small" },
    { "without a sunset as another has", CALL,
      "parameters: [{name: p, in: query, x-sunset: '2030-01-01'}, {name: q, in: query}]",
      "parameters: [{name: p, in: query, x-sunset: '2030-01-01'}, {name: q, in: query, deprecated: "
      "true}]",
      "error request-parameter-deprecated-sunset-missing" },
    { "deprecated in a document without sunsets", CALL, "parameters: [{name: q, in: query}]",
      "parameters: [{name: q, in: query, deprecated: true}]", "" },
    { "it must be there", CALL, "parameters: [{name: q, in: query}]",
      "parameters: [{name: q, in: query, required: true}]",
      "error request-parameter-became-required" },
    { "it may be left out", CALL, "parameters: [{name: q, in: query, required: true}]",
      "parameters: [{name: q, in: query}]", "info request-parameter-became-optional" },
    { "header names have no case", CALL, "parameters: [{name: X-a, in: header}]",
      "parameters: [{name: x-A, in: header}]", "" },
    { "a parameter's type", QUERY, "type: string", "type: integer",
      "error request-parameter-type-changed" },
    { "text takes what numbers were", QUERY, "type: integer", "type: string",
      "info request-parameter-type-generalized" },
    { "text of a form does not", QUERY, "type: integer", "type: string, format: date",
      "error request-parameter-type-changed" },
    { "a list takes what one was", QUERY, "type: string", "type: array, items: {type: string}",
      "info request-parameter-type-generalized" },
    { "a parameter's property", QUERY, "properties: {p: {type: number}}",
      "properties: {p: {type: integer}}", "error request-parameter-property-type-specialized" },
    { "of another type", QUERY, "properties: {p: {type: object}}",
      "properties: {p: {type: integer}}", "warning request-parameter-property-type-changed" },
    { "a header's property", HEADER, "properties: {p: {}}", "properties: {p: {}}, required: [p]",
      "error request-header-property-became-required" },
    { "a header's list", HEADER, "properties: {p: {}}", "properties: {p: {enum: [a]}}",
      "error request-header-property-became-enum" },
    { "a header's new property", HEADER, "properties: {}", "properties: {p: {}}, required: [p]",
      "error new-required-request-header-property" },
    { "a default", QUERY, "", "default: 1", "error request-parameter-default-value-added" },
    { "another default", QUERY, "default: 1", "default: 2",
      "error request-parameter-default-value-changed" },
    { "no default", QUERY, "default: 1", "", "error request-parameter-default-value-removed" },
    { "1.0 is 1", QUERY, "default: 1", "default: 1.0", "" },
    { "a value less", QUERY, "enum: [a, b]", "enum: [a]",
      "error request-parameter-enum-value-removed" },
    { "a value more", QUERY, "enum: [a]", "enum: [a, b]",
      "info request-parameter-enum-value-added" },
    { "a list of values", QUERY, "", "enum: [a]", "error request-parameter-became-enum" },
    { "an open list of values", QUERY, "x-extensible-enum: [a, b]", "x-extensible-enum: [a]",
      "error request-parameter-x-extensible-enum-value-removed" },
    { "a pattern", QUERY, "", "pattern: a", "error request-parameter-pattern-added" },
    { "another pattern", QUERY, "pattern: a", "pattern: b",
      "warning request-parameter-pattern-changed" },
    { "no pattern", QUERY, "pattern: a", "", "info request-parameter-pattern-removed" },
    { "a lower maximum", QUERY, "maximum: 2", "maximum: 1",
      "error request-parameter-max-decreased" },
    { "a higher minimum", QUERY, "minimum: 1", "minimum: 2",
      "error request-parameter-min-increased" },
    { "fewer items", QUERY, "maxItems: 2", "maxItems: 1",
      "error request-parameter-max-items-decreased" },
    { "a maximum", QUERY, "", "maximum: 1", "warning request-parameter-max-set" },

    /* bodies */
    { "a body", CALL, "", "requestBody: {content: {}}", "info request-body-added-optional" },
    { "one that must be there", CALL, "", "requestBody: {required: true, content: {}}",
      "error request-body-added-required" },
    { "no body", CALL, "requestBody: {content: {}}", "", "error request-body-removed" },
    { "it must be there", CALL, "requestBody: {content: {}}",
      "requestBody: {required: true, content: {}}", "error request-body-became-required" },
    { "it may be left out", CALL, "requestBody: {required: true, content: {}}",
      "requestBody: {content: {}}", "info request-body-became-optional" },
    { "another media type", CALL, "requestBody: {content: {a/b: {}}}",
      "requestBody: {content: {a/c: {}}}",
      "info request-body-media-type-added; error request-body-media-type-removed" },
    { "case and parameters of one", CALL, "requestBody: {content: {a/b: {}}}",
      "requestBody: {content: {A/B; x=y: {}}}", "" },
    { "a schema", CALL, "requestBody: {content: {a/b: {}}}",
      "requestBody: {content: {a/b: {schema: {}}}}", "error request-body-media-type-schema-added" },
    { "a body's type", BODY, "type: object", "type: array", "error request-body-type-changed" },
    { "integers are numbers", BODY, "type: integer", "type: number",
      "info request-body-type-generalized" },
    { "from number to integer", BODY, "type: number", "type: integer",
      "error request-body-type-changed" },
    { "from number to string", BODY, "type: integer", "type: string",
      "error request-body-type-changed" },
    { "a wider format", BODY, "type: integer, format: int32", "type: integer, format: int64",
      "info request-body-type-generalized" },
    { "a narrower format", BODY, "type: string, format: date-time", "type: string, format: date",
      "error request-body-type-changed" },
    { "one type less", BODY, "type: [string, integer]", "type: string",
      "error request-body-list-of-types-narrowed" },
    { "one type more", BODY, "type: string", "type: [string, integer]",
      "info request-body-list-of-types-widened" },
    { "null in two spellings", BODY, "type: [string, 'null']",
      "oneOf: [{type: string}, {type: 'null'}]", "" },
    { "may be null", BODY, "type: string", "type: [string, 'null']",
      "info request-body-became-nullable" },
    { "may not be null", BODY_3_0, "type: string, nullable: true", "type: string",
      "error request-body-became-not-nullable" },
    { "const", BODY, "", "const: 1", "error request-body-const-added" },
    { "another const", BODY, "const: 1", "const: 2", "error request-body-const-changed" },
    { "no const", BODY, "const: 1", "", "info request-body-const-removed" },
    { "a bound that holds the one below it", BODY_3_0, "maximum: 1, exclusiveMaximum: true",
      "maximum: 1", "info request-body-exclusive-max-unset; info request-body-max-set" },
    { "a bound further out, and below it", BODY_3_0, "minimum: 1",
      "minimum: 0, exclusiveMinimum: true",
      "info request-body-exclusive-min-set; info request-body-min-unset" },
    { "a bound of the other kind further in", BODY, "exclusiveMinimum: 1", "minimum: 2",
      "info request-body-exclusive-min-unset; warning request-body-min-set" },
    { "more properties", BODY, "minProperties: 1", "minProperties: 2",
      "error request-body-min-properties-increased" },
    { "fewer properties", BODY, "maxProperties: 2", "maxProperties: 1",
      "error request-body-max-properties-decreased" },
    { "maxProperties", BODY, "", "maxProperties: 1", "warning request-body-max-properties-set" },
    { "fewer properties in a response", REPLY, "minProperties: 2", "minProperties: 1",
      "error response-body-min-properties-decreased" },
    { "min and max by flags", BODY_3_0, "maximum: 1", "maximum: 1, exclusiveMaximum: true",
      "warning request-body-exclusive-max-set; info request-body-max-unset" },
    { "a longer text is refused", BODY, "maxLength: 2", "maxLength: 1",
      "error request-body-max-length-decreased" },
    { "a shorter one is taken", BODY, "minLength: 2", "minLength: 1",
      "info request-body-min-length-decreased" },
    { "one schema more", BODY, "", "allOf: [{$ref: a.yaml}]", "error request-body-all-of-added" },
    { "one schema less", BODY, "allOf: [{$ref: a.yaml}]", "",
      "warning request-body-all-of-removed" },
    { "allOf is merged", BODY, "properties: {p: {type: string}}",
      "allOf: [{properties: {p: {type: string}}}]", "" },
    { "one choice more", BODY, "anyOf: [{minimum: 1}, {minimum: 2}]",
      "anyOf: [{minimum: 1}, {minimum: 2}, {minimum: 3}]", "info request-body-any-of-added" },
    { "one choice less", BODY, "anyOf: [{minimum: 1}, {minimum: 2}]", "anyOf: [{minimum: 1}]",
      "error request-body-any-of-removed" },
    { "one of less", BODY, "oneOf: [{minimum: 1}, {minimum: 2}]", "oneOf: [{minimum: 1}]",
      "error request-body-one-of-removed" },
    { "in a choice", BODY, "oneOf: [{minLength: 1}, {type: integer}]",
      "oneOf: [{minLength: 2}, {type: integer}]", "error request-property-min-length-increased" },
    { "became a choice", BODY, "type: string", "oneOf: [{type: string}, {type: integer}]",
      "error request-body-wrapped-in-one-of" },
    /* inside */
    { "then", BODY, "then: {properties: {p: {minimum: 0}}}",
      "then: {properties: {p: {minimum: 5}}}", "error request-property-min-increased" },
    { "a property of else", BODY, "else: {properties: {}}",
      "else: {properties: {p: {}}, required: [p]}", "error new-required-request-property" },
    { "then of a response", REPLY, "then: {maxLength: 1}", "then: {maxLength: 2}",
      "error response-property-max-length-increased" },
    { "contains", BODY, "contains: {minLength: 1}", "contains: {minLength: 3}",
      "error request-property-min-length-increased" },
    { "names of properties", BODY, "propertyNames: {maxLength: 3}", "propertyNames: {maxLength: 2}",
      "error request-property-max-length-decreased" },
    { "other items", BODY, "unevaluatedItems: {type: string}", "unevaluatedItems: {type: integer}",
      "error request-property-type-changed" },
    { "other properties", BODY, "unevaluatedProperties: {type: number}",
      "unevaluatedProperties: {type: integer}", "error request-property-type-changed" },
    { "a text's content", BODY, "contentSchema: {minLength: 1}", "contentSchema: {minLength: 3}",
      "error request-property-min-length-increased" },
    { "properties of a pattern", BODY, "patternProperties: {^x: {enum: [a, b]}}",
      "patternProperties: {^x: {enum: [a]}}", "error request-property-enum-value-removed" },
    { "what a property asks for", BODY, "dependentSchemas: {a: {maxLength: 3}}",
      "dependentSchemas: {a: {maxLength: 2}}", "error request-property-max-length-decreased" },
    { "the form of first items", BODY, "prefixItems: [{type: string, minLength: 1}]",
      "prefixItems: [{type: string, minLength: 3}]",
      "error request-property-min-length-increased" },
    { "items", BODY, "items: {enum: [a, b]}", "items: {enum: [a]}",
      "error request-property-enum-value-removed" },
    { "not, of more", BODY, "not: {maxLength: 5}", "not: {maxLength: 10}",
      "error request-property-max-length-increased" },
    { "not, of less", BODY, "not: {maxLength: 10}", "not: {maxLength: 5}",
      "error request-property-max-length-decreased" },
    { "not, of a response", REPLY, "not: {enum: [a]}", "not: {enum: [a, b]}",
      "warning response-property-enum-value-added" },
    { "not, of more values", BODY, "not: {enum: [a]}", "not: {enum: [a, b]}",
      "warning request-property-enum-value-added" },
    { "not, with a bound less", BODY, "not: {maxLength: 10}", "not: {}",
      "warning request-property-max-length-unset" },
    { "if", BODY, "if: {properties: {k: {const: a}}}", "if: {properties: {k: {const: b}}}",
      "error request-property-const-changed" },
    { "not in not", BODY, "not: {not: {maxLength: 5}}", "not: {not: {maxLength: 6}}",
      "error request-property-max-length-increased" },
    { "not is new", BODY, "", "not: {type: string}", "error request-body-not-added" },
    { "not is gone", BODY, "not: {type: string}", "", "info request-body-not-removed" },
    { "not is gone from a response", REPLY, "not: {type: string}", "",
      "error response-body-not-removed" },
    { "words that 3.0 does not know", BODY_3_0, "then: {maxLength: 2}", "then: {maxLength: 1}",
      "" },
    { "not in 3.0", BODY_3_0, "not: {maxLength: 2}", "not: {maxLength: 1}",
      "error request-property-max-length-decreased" },

    /* discriminators */
    { "a discriminator", BODY, "oneOf: []", "oneOf: [], discriminator: {propertyName: a}",
      "info request-body-discriminator-added" },
    { "no discriminator", REPLY, "discriminator: {propertyName: a}", "",
      "info response-body-discriminator-removed" },
    { "another one", BODY, "discriminator: {propertyName: a}", "discriminator: {propertyName: b}",
      "info request-body-discriminator-property-name-changed" },
    { "its words", BODY, "discriminator: {propertyName: a, mapping: {x: '#/1', y: '#/2'}}",
      "discriminator: {propertyName: a, mapping: {y: '#/3', z: '#/4'}}",
      "info request-body-discriminator-mapping-added; info "
      "request-body-discriminator-mapping-changed; info "
      "request-body-discriminator-mapping-deleted" },
    { "of a property", BODY, "properties: {p: {discriminator: {propertyName: a}}}",
      "properties: {p: {discriminator: {propertyName: b}}}",
      "info request-property-discriminator-property-name-changed" },

    /* from a value to a list of values */
    { "a list of less", QUERY, "type: string, maxLength: 5",
      "type: array, items: {type: string, maxLength: 3}",
      "error request-parameter-max-length-decreased; info request-parameter-type-generalized" },
    { "a list of some", QUERY, "type: string", "type: array, items: {type: string, enum: [a]}",
      "error request-parameter-became-enum; info request-parameter-type-generalized" },
    { "a list of more", QUERY, "type: string, enum: [a]",
      "type: array, items: {type: string, enum: [a, b]}",
      "info request-parameter-enum-value-added; info request-parameter-type-generalized" },
    { "a list of others", QUERY, "type: string", "type: array, items: {type: integer}",
      "error request-parameter-type-changed" },
    { "items of a parameter", QUERY, "type: array, items: {maxLength: 2}",
      "type: array, items: {maxLength: 1}", "error request-parameter-max-length-decreased" },
    { "a property of items of a parameter", QUERY,
      "type: array, items: {properties: {p: {maxLength: 2}}}",
      "type: array, items: {properties: {p: {maxLength: 1}}}",
      "error request-parameter-property-max-length-decreased" },

    { "a schema more in allOf", BODY, "allOf: [{maxLength: 9}]",
      "allOf: [{maxLength: 9}, {minLength: 0}]",
      "info request-body-all-of-added; warning request-body-min-length-set" },
    { "a schema less in allOf", REPLY, "allOf: [{maxLength: 9}, {type: string}]",
      "allOf: [{type: string}]",
      "info response-body-all-of-removed; error response-body-max-length-unset" },
    { "another word in allOf", BODY, "allOf: [{maxLength: 9}]", "allOf: [{maxLength: 8}]",
      "error request-body-max-length-decreased" },
    { "a pattern of nothing", BODY, "pattern: ''", "pattern: a",
      "error request-body-pattern-added" },
    { "an object became text, without JSON", FORM, "type: object", "type: string",
      "info request-property-type-compatible" },
    { "an object became text, with it", BODY, "type: object", "type: string",
      "error request-body-type-changed" },
    { "a new optional parameter of the path", PATHS, "/a: {get: {}}",
      "/a: {parameters: [{name: q, in: query}], get: {}}",
      "info new-optional-request-default-parameter-to-existing-path" },
    { "properties became choices", BODY, "properties: {a: {}}",
      "oneOf: [{properties: {a: {type: string}}}, {type: string}]",
      "info request-body-one-of-added; info request-body-one-of-added; info "
      "request-body-type-generalized; warning request-property-removed" },

    { "first items", BODY, "prefixItems: [{}, {}]", "prefixItems: [{}]",
      "error request-body-prefix-items-removed" },
    { "a condition", BODY, "", "if: {}, then: {}, else: {}",
      "error request-body-else-added; error request-body-if-added; error request-body-then-added" },
    { "contains", BODY, "", "contains: {}", "error request-body-contains-added" },
    { "more contained", BODY, "minContains: 1", "minContains: 2",
      "error request-body-min-contains-increased" },
    { "less contained", BODY, "maxContains: 2", "maxContains: 1",
      "error request-body-max-contains-decreased" },
    { "dependentRequired", BODY, "", "dependentRequired: {a: [b]}",
      "error request-body-dependent-required-added" },
    { "another", BODY, "dependentRequired: {a: [b]}", "dependentRequired: {a: [c]}",
      "error request-body-dependent-required-changed" },
    { "dependentSchemas", BODY, "", "dependentSchemas: {a: {}}",
      "error request-body-dependent-schema-added" },
    { "patternProperties", BODY, "", "patternProperties: {a: {}}",
      "error request-body-pattern-property-added" },
    { "propertyNames", BODY, "", "propertyNames: {}", "error request-body-property-names-added" },
    { "unevaluated", BODY, "", "unevaluatedItems: false, unevaluatedProperties: false",
      "error request-body-unevaluated-items-added; error "
      "request-body-unevaluated-properties-added" },
    { "contentSchema", BODY, "", "contentSchema: {}", "error request-body-content-schema-added" },
    { "contentMediaType", BODY, "contentMediaType: a/b", "contentMediaType: a/c",
      "error request-body-content-media-type-changed" },
    { "contentEncoding", BODY, "contentEncoding: base64", "contentEncoding: base16",
      "error request-body-content-encoding-changed" },

    /* properties of bodies */
    { "a new property", BODY, "properties: {}", "properties: {p: {}}",
      "info new-optional-request-property" },
    { "one that must be there", BODY, "properties: {}", "properties: {p: {}}, required: [p]",
      "error new-required-request-property" },
    { "and has a default", BODY, "properties: {}", "properties: {p: {default: 1}}, required: [p]",
      "error new-required-request-property-with-default" },
    { "a property is gone", BODY, "properties: {p: {}}", "properties: {}",
      "warning request-property-removed" },
    { "it must be there", BODY, "properties: {p: {}}", "properties: {p: {}}, required: [p]",
      "error request-property-became-required" },
    { "it must and has a default", BODY, "properties: {p: {default: 1}}",
      "properties: {p: {default: 1}}, required: [p]",
      "error request-property-became-required-with-default" },
    { "it may be left out", BODY, "properties: {p: {}}, required: [p]", "properties: {p: {}}",
      "info request-property-became-optional" },
    { "read-only ones do not count", BODY, "properties: {}",
      "properties: {p: {readOnly: true}}, required: [p]", "" },
    { "a property's maximum", BODY, "properties: {p: {maximum: 2}}",
      "properties: {p: {maximum: 1}}", "error request-property-max-decreased" },
    { "deep inside", BODY, "items: {properties: {p: {maxLength: 2}}}",
      "items: {properties: {p: {maxLength: 1}}}", "error request-property-max-length-decreased" },
    { "of any name", BODY, "additionalProperties: {type: string}",
      "additionalProperties: {type: integer}", "error request-property-type-changed" },
    { "a bad sunset of a property", BODY, "properties: {p: {deprecated: true}}",
      "properties: {p: {deprecated: true, x-sunset: soon}}",
      "error request-property-deprecated-sunset-invalid" },
    { "a sunset of a property in the past", BODY, "properties: {p: {deprecated: true}}",
      "properties: {p: {deprecated: true, x-sunset: '2020-01-01'}}",
      "error request-property-sunset-date-too-small" },
    { "a sunset of a property to come", BODY, "properties: {p: {deprecated: true}}",
      "properties: {p: {deprecated: true, x-sunset: '2030-01-01'}}", "" },
    { "no sunset of a property", BODY, "properties: {p: {}, q: {x-sunset: '2030-01-01'}}",
      "properties: {p: {deprecated: true}, q: {x-sunset: '2030-01-01'}}",
      "error request-property-deprecated-sunset-missing" },
    { "a property deprecated in a document without sunsets", BODY, "properties: {p: {}}",
      "properties: {p: {deprecated: true}}", "" },
    { "a less stable property", BODY, "properties: {p: {}}",
      "properties: {p: {x-stability-level: beta}}", "error request-property-stability-decreased" },
    { "a field of a form as text", FORM, "type: integer", "type: string",
      "info request-property-type-generalized" },

    /* responses */
    { "a bad sunset in a response", REPLY, "properties: {p: {deprecated: true}}",
      "properties: {p: {deprecated: true, x-sunset: soon}}",
      "error response-property-deprecated-sunset-invalid" },
    { "a sunset in the past in a response", REPLY, "properties: {p: {deprecated: true}}",
      "properties: {p: {deprecated: true, x-sunset: '2020-01-01'}}",
      "error response-property-sunset-date-too-small" },
    { "no sunset in a response", REPLY, "properties: {p: {}, q: {x-sunset: '2030-01-01'}}",
      "properties: {p: {deprecated: true}, q: {x-sunset: '2030-01-01'}}",
      "error response-property-deprecated-sunset-missing" },
    { "a success is gone", CALL, "responses: {200: {}, 201: {}}", "responses: {200: {}}",
      "error response-success-status-removed" },
    { "a failure is gone", CALL, "responses: {200: {}, 404: {}}", "responses: {200: {}}",
      "info response-non-success-status-removed" },
    { "new responses", CALL, "responses: {200: {}}", "responses: {200: {}, 201: {}, 404: {}}",
      "info response-non-success-status-added; info response-success-status-added" },
    { "other content", CALL, "responses: {200: {content: {a/b: {}}}}",
      "responses: {200: {content: {a/c: {}}}}",
      "info response-media-type-added; error response-media-type-removed" },
    { "a range of content", CALL, "responses: {200: {content: {a/b: {}}}}",
      "responses: {200: {content: {a/*: {}}}}", "error response-media-type-name-generalized" },
    { "no schema", CALL, "responses: {200: {content: {a/b: {schema: {}}}}}",
      "responses: {200: {content: {a/b: {}}}}", "warning response-body-media-type-schema-removed" },
    { "a header is gone", CALL, "responses: {200: {headers: {h: {}}}}", "responses: {200: {}}",
      "warning optional-response-header-removed" },
    { "a sure header is gone", CALL, "responses: {200: {headers: {h: {required: true}}}}",
      "responses: {200: {}}", "error required-response-header-removed" },
    { "a new header", CALL, "responses: {200: {}}", "responses: {200: {headers: {h: {}}}}",
      "info response-header-added" },
    { "a header may lack", REPLY_HEADER, "required: true", "",
      "error response-header-became-optional" },
    { "a header never lacks", REPLY_HEADER, "", "required: true",
      "info response-header-became-required" },
    { "a header's type", REPLY_HEADER, "schema: {type: string}", "schema: {type: integer}",
      "info response-header-type-specialized" },
    { "a wider one", REPLY_HEADER, "schema: {type: integer}", "schema: {type: number}",
      "error response-header-type-generalized" },
    { "another one", REPLY_HEADER, "schema: {type: object}", "schema: {type: integer}",
      "error response-header-type-changed" },
    { "a header of null", REPLY_HEADER, "schema: {type: integer}",
      "schema: {type: [integer, 'null']}", "error response-header-became-nullable" },
    { "a reply's type", REPLY, "type: object", "type: array", "error response-body-type-changed" },
    { "numbers are more than integers", REPLY, "type: integer", "type: number",
      "error response-body-type-generalized" },
    { "integers are less than numbers", REPLY, "type: number", "type: integer",
      "info response-body-type-specialized" },
    { "one type more in a reply", REPLY, "type: [string, integer]",
      "type: [string, integer, boolean]", "error response-body-list-of-types-widened" },
    { "null in a reply", REPLY, "type: string", "type: [string, 'null']",
      "error response-body-became-nullable" },
    { "a property that is gone", REPLY, "properties: {p: {}}", "properties: {}",
      "warning response-optional-property-removed" },
    { "a sure property that is gone", REPLY, "properties: {p: {}}, required: [p]", "properties: {}",
      "error response-required-property-removed" },
    { "a new property in a reply", REPLY, "properties: {}", "properties: {p: {}}",
      "info response-optional-property-added" },
    { "a new sure property", REPLY, "properties: {}", "properties: {p: {}}, required: [p]",
      "info response-required-property-added" },
    { "a property may lack", REPLY, "properties: {p: {}}, required: [p]", "properties: {p: {}}",
      "error response-property-became-optional" },
    { "a property never lacks", REPLY, "properties: {p: {}}", "properties: {p: {}}, required: [p]",
      "info response-property-became-required" },
    { "write-only ones do not count", REPLY, "properties: {p: {writeOnly: true}}", "properties: {}",
      "" },
    { "no longer write-only", REPLY, "properties: {p: {writeOnly: true}}, required: [p]",
      "properties: {p: {}}, required: [p]",
      "warning response-required-property-became-not-write-only" },
    { "a new value", REPLY, "properties: {p: {enum: [a]}}", "properties: {p: {enum: [a, b]}}",
      "warning response-property-enum-value-added" },
    { "no list of values", REPLY, "enum: [a]", "", "warning response-body-became-not-enum" },
    { "no const in a reply", REPLY, "const: 1", "", "error response-body-const-removed" },
    { "a higher maximum", REPLY, "maximum: 1", "maximum: 2", "error response-body-max-increased" },
    { "no maxLength", REPLY, "maxLength: 1", "", "error response-body-max-length-unset" },
    { "no minItems", REPLY, "minItems: 1", "", "error response-body-min-items-unset" },
    { "a lower minimum", REPLY, "minimum: 2", "minimum: 1", "error response-body-min-decreased" },
    { "one of more", REPLY, "oneOf: [{minimum: 1}, {minimum: 2}]",
      "oneOf: [{minimum: 1}, {minimum: 2}, {minimum: 3}]", "error response-body-one-of-added" },
    { "more first items", REPLY, "prefixItems: [{}]", "prefixItems: [{}, {}]",
      "error response-body-prefix-items-added" },
    { "no condition", REPLY, "if: {}, then: {}, else: {}", "",
      "error response-body-else-removed; error response-body-if-removed; error "
      "response-body-then-removed" },
    { "no contains", REPLY, "contains: {}", "", "error response-body-contains-removed" },
    { "no dependentRequired", REPLY, "dependentRequired: {a: [b]}", "",
      "error response-body-dependent-required-removed" },
    { "no dependentSchemas", REPLY, "dependentSchemas: {a: {}}", "",
      "error response-body-dependent-schema-removed" },
    { "no patternProperties", REPLY, "patternProperties: {a: {}}", "",
      "error response-body-pattern-property-removed" },
    { "no propertyNames", REPLY, "propertyNames: {}", "",
      "error response-body-property-names-removed" },
    { "nothing unevaluated", REPLY, "unevaluatedItems: false, unevaluatedProperties: false", "",
      "error response-body-unevaluated-items-removed; error "
      "response-body-unevaluated-properties-removed" },
    { "no contentSchema", REPLY, "contentSchema: {}", "",
      "error response-body-content-schema-removed" },

    /* recursion and references */
    { "recursive schemas end", DOC,
      "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {$ref: "
      "'#/components/schemas/S'}}}}}}}\ncomponents: {schemas: {S: {properties: {next: {$ref: "
      "'#/components/schemas/S'}, v: {maximum: 2}}}}}",
      "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {$ref: "
      "'#/components/schemas/S'}}}}}}}\ncomponents: {schemas: {S: {properties: {next: {$ref: "
      "'#/components/schemas/S'}, v: {maximum: 1}}}}}",
      "error request-property-max-decreased" },
};

/* ---- running the requests ---- */

static void read_side(struct reading *side, const char *text)
{
    bool ok = reading_of(side, text_of(text)) && check_references(&side->check);
    if (!ok)
        fail_msg("%s", side->findings->item[LEVEL_ERROR][0].message);
}

static const char *const levels[] = { "error", "warning", "info" };

/* List all changes between two texts. */
static void list_changes(const char *old_text, const char *new_text, struct buf *out)
{
    enum { TODAY = 20600 }; /* a day of 2026 */
    scoped(reading_free) struct reading old;
    scoped(reading_free) struct reading new;
    read_side(&old, old_text);
    read_side(&new, new_text);
    scoped(diff_free) struct diff diff = { .today = TODAY };
    scoped(json_free) cJSON *result = json_object();
    diff.old.check = &old.check;
    diff.new.check = &new.check;
    diff_run(&diff);
    diff_write(&diff, result);
    for (size_t i = 0; i < diff.kept; i++)
        buf_format(out, "%s%s %s", i > 0 ? "; " : "", levels[diff.changes[i].level],
                   diff.changes[i].id);
}

/* Insert a part into the document. */
static char *fill(const char *document, const char *part)
{
    const char *hole = strstr(document, "%s");
    return str_format("%.*s%s%s", (int)(hole - document), document, part, hole + 2);
}

/* A document has no changes to itself. */
static void check_itself(const char *document)
{
    scoped(buf_free) struct buf got = BUF(1 << 16);
    list_changes(document, document, &got);
    assert_string_equal(buf_str(&got), "");
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mem_free) char *old = fill(row->document, row->old);
    scoped(mem_free) char *new = fill(row->document, row->new);
    scoped(buf_free) struct buf got = BUF(1 << 16);
    list_changes(old, new, &got);
    assert_string_equal(buf_str(&got), row->want);
    check_itself(old);
    check_itself(new);
}

/* ---- from one specification to another ---- */

static const struct across {
    const char *name;
    const char *old;
    const char *new;
    const char *want;
} across[] = {
    { "2.0 and 3.0 say the same",
      "swagger: '2.0'\nconsumes: [application/json]\nproduces: [application/json]\n"
      "paths: {/a: {post: {parameters: [{name: q, in: query, type: integer, format: int64}, {name: "
      "b, in: body, required: true, schema: {$ref: '#/definitions/S'}}], responses: {200: {schema: "
      "{$ref: '#/definitions/S'}, headers: {h: {type: string}}}}}}}\n"
      "definitions: {S: {type: object, properties: {a: {type: string}}}}\n",
      "openapi: 3.0.4\npaths: {/a: {post: {parameters: [{name: q, in: query, schema: {type: "
      "integer, format: int64}}], requestBody: {required: true, content: {application/json: "
      "{schema: {$ref: '#/components/schemas/S'}}}}, responses: {200: {content: "
      "{application/json: {schema: {$ref: '#/components/schemas/S'}}}, headers: {h: {schema: "
      "{type: string}}}}}}}}\n"
      "components: {schemas: {S: {type: object, properties: {a: {type: string}}}}}\n",
      "" },
    { "a form of 2.0",
      "swagger: '2.0'\nconsumes: [application/x-www-form-urlencoded]\npaths: {/a: {post: "
      "{parameters: [{name: b, in: formData, type: string, required: true}, {name: a, in: "
      "formData, type: integer}]}}}\n",
      "openapi: 3.0.4\npaths: {/a: {post: {requestBody: {required: true, content: "
      "{application/x-www-form-urlencoded: {schema: {type: object, required: [b, a], properties: "
      "{a: {type: integer}, b: {type: string}}}}}}}}}\n",
      "error request-property-became-required" },
    { "nullable of 3.0 is null of 3.1",
      "openapi: 3.0.4\npaths: {/a: {get: {responses: {200: {content: {application/json: {schema: "
      "{type: string, nullable: true}}}}}}}}\n",
      "openapi: 3.1.0\npaths: {/a: {get: {responses: {200: {content: {application/json: {schema: "
      "{type: [string, 'null']}}}}}}}}\n",
      "" },
    { "exclusive bounds of 3.0 and 3.1",
      "openapi: 3.0.4\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: "
      "{type: number, maximum: 5, exclusiveMaximum: true}}}}}}}\n",
      "openapi: 3.1.0\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: "
      "{type: number, exclusiveMaximum: 4}}}}}}}\n",
      "error request-body-exclusive-max-decreased" },
};

static void check_across(void **state)
{
    const struct across *row = *state;
    scoped(buf_free) struct buf got = BUF(1 << 16);
    list_changes(row->old, row->new, &got);
    assert_string_equal(buf_str(&got), row->want);
    check_itself(row->old);
    check_itself(row->new);
}

/* ---- documents of the fuzz corpus ---- */

static void check_file(const char *path)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    struct err err = { 0 };
    if (!file_read(path, &text, &err))
        fail_msg("%s", err.message);
    char *document = text.bytes;
    while (document) { /* a file has two documents */
        char *line = strstr(document, "\n====\n");
        struct reading reading;
        if (line)
            *line = '\0';
        bool is_document =
            reading_of(&reading, text_of(document)) && check_references(&reading.check);
        reading_free(&reading);
        if (is_document)
            check_itself(document);
        document = line ? line + strlen("\n====\n") : NULL;
    }
}

static void the_corpus_is_itself(void **state)
{
    scoped(globfree) glob_t files = { 0 };
    (void)state;
    assert_int_equal(
        glob(SOURCE_ROOT "/svc-security/openapi-validate/tests/corpus/*/*", 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 8);
    for (size_t i = 0; i < files.gl_pathc; i++)
        check_file(files.gl_pathv[i]);
}

/* ---- every rule of the table has a row ---- */

static bool is_wanted(const char *part)
{
    for (size_t i = 0; i < countof(rows); i++)
        if (strstr(rows[i].want, part))
            return true;
    return false;
}

static void every_change_has_a_row(void **state)
{
    (void)state;
    static const char *const ids[] = {
#define CHANGE(kind, level, id, words) id,
#include "openapi-validate/diff/diff.def"
#define SCHEMA_CHANGE(kind, suffix, parameter, request, response, words) "-" suffix,
#include "openapi-validate/diff/diff.def"
    };
    for (size_t i = 0; i < countof(ids); i++)
        if (!is_wanted(ids[i]))
            fail_msg("no row for %s", ids[i]);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(the_corpus_is_itself),
                                          cmocka_unit_test(every_change_has_a_row) };
    return RUN_ROWS(rows, check) + RUN_ROWS(across, check_across) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
