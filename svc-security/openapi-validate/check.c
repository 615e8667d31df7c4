/* svc-security/openapi-validate/check.c - the steps of a check in their order. */
#include "check.h"

static bool check_root(struct check *check)
{
    const struct node *root = check->document->root;
    const struct node *swagger = node_get(root, "swagger");
    const struct node *openapi = node_get(root, "openapi");
    if (root->kind != NODE_OBJECT) {
        report(check->findings, RULE_DOC_NOT_OBJECT, root,
               "The document must be an object, not %s.", node_kind_name(root));
        return false;
    }
    if (!swagger && !openapi) {
        report(check->findings, RULE_DOC_VERSION_MISSING, root,
               "It has neither \"openapi\" nor \"swagger\", which says its version.");
        return false;
    }
    if (swagger && openapi) {
        report(check->findings, RULE_DOC_VERSION_TWICE, openapi,
               "\"openapi\" and \"swagger\" exclude each other.");
        return false;
    }
    check->version = version_of(root);
    if (check->version == NONE)
        report(check->findings, RULE_DOC_VERSION_UNKNOWN, swagger ? swagger : openapi,
               swagger ? "\"swagger\" must be \"2.0\"."
                       : "\"openapi\" must be \"3.0.N\", \"3.1.N\" or \"3.2.N\", as a string.");
    else if (node_is(swagger, NODE_NUMBER))
        report(check->findings, RULE_VERSION_NOT_STRING, swagger,
               "\"swagger\" must be the string \"2.0\"; a number needs quotes here.");
    return check->version != NONE;
}

bool check_references(struct check *check)
{
    check_begin(check);
    if (!check_root(check))
        return false;
    walk(check, check->document->root, TYPE_DOCUMENT);
    resolve_references(check);
    return true;
}

bool check_document(struct check *check)
{
    if (!check_references(check))
        return false;
    run_rules(check);
    return true;
}
