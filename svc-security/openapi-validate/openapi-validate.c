/* svc-security/openapi-validate/openapi-validate.c - the tool: get the documents, check and compare
 * them, and write the result. */
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/deadline.h"
#include "gather.h"
#include "openapi-validate/check/references.h"
#include "openapi-validate/diff/diff.h"
#include "openapi-validate/diff/ruleset.h"
#include "openapi-validate/witness/witness.h"
#include "stats.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/time/datetime.h"
#include "tools.h"
#include "validate.h"

enum {
    CALL_MS = 20000,
    PATH_BYTES_MAX = 1000, /* of a pointer in the result; longer ones are truncated */
};

/* ---- source of the document ---- */

struct source {
    struct text text; /* borrowed from the request or the fetch */
    struct fetch fetch;
    struct egress_session *session; /* for the document and its references; NULL without a url */
    struct target target;           /* parsed url */
    bool is_url;
};

static void free_source(struct source *source)
{
    fetch_free(&source->fetch);
    egress_session_free(&source->session);
    target_free(&source->target);
}

/* The raw text of a member's value in the body, for source positions. */
static struct text value_in_body(struct text body, const char *name)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(body, JSON_DEPTH);
    struct json_event event = { .kind = JSON_NULL };
    bool is_wanted = false;
    size_t start = 0;
    while (event.kind != JSON_END && json_next(reader, &event, NULL)) {
        if (event.kind == JSON_KEY && event.depth == 1)
            is_wanted = text_is(event.text, name);
        else if (event.kind == JSON_OBJECT_OPEN && event.depth == 1)
            start = event.offset;
        else if (event.kind == JSON_OBJECT_CLOSE && event.depth == 1 && is_wanted)
            return (struct text){ body.bytes + start, event.offset + 1 - start };
    }
    return TEXT("");
}

static struct text inline_text(const struct job *job, const char *name)
{
    const cJSON *value = arg_any(job, name);
    return json_is(value, cJSON_Object) ? value_in_body(job->body, name) : json_text_of(value);
}

static bool fetch_source(struct source *source, struct err *err)
{
    const struct fetch_options options = {
        .headers = document_headers,
        .max_redirects = FETCH_REDIRECTS_MAX,
        .max_wire_bytes = DOCUMENT_BYTES_MAX,
        .max_body_bytes = DOCUMENT_BYTES_MAX,
    };
    if (!fetch_guarded(source->session, &source->target, &options, &source->fetch, err))
        return false;
    if (source->fetch.end == FETCH_CUT)
        return err_set(err, ERR_TARGET_BAD_RESPONSE,
                       "the document is too large; it must be at most 8 MiB");
    source->text = buf_text(&source->fetch.body);
    return true;
}

/* The fields with a document and with its URL. */
struct fields {
    const char *text;
    const char *url;
};

static const struct fields current_fields = { "spec", "url" };
static const struct fields previous_fields = { "previous", "previous_url" };

/* One of the two fields is set. With resolve, url is the base URL of an inline document. */
static bool get_source(const struct job *job, const struct fields *fields, struct source *source,
                       struct err *err)
{
    bool is_inline = arg_has(job, fields->text);
    bool has_url = arg_has(job, fields->url) && (!is_inline || arg_bool(job, "resolve"));
    if (has_url && !target_parse_url(arg_text(job, fields->url), &source->target, err))
        return false;
    if (has_url)
        source->session =
            egress_session_new(job->egress, deadline_within(job->deadline_ms, CALL_MS));
    source->is_url = !is_inline;
    if (!is_inline)
        return fetch_source(source, err);
    source->text = inline_text(job, fields->text);
    return true;
}

/* The document's URL after redirects; no url if unknown. */
static bool find_base_url(const struct source *source, struct target *place, struct err *err)
{
    const struct target *target =
        source->is_url ? &fetch_last(&source->fetch)->target : &source->target;
    return !target->url || target_join(target, TEXT(""), place, err); /* a copy */
}

/* Was the whole document fetched? */
static bool check_response(const struct source *source, struct findings *findings)
{
    static const struct place nowhere;
    if (!source->is_url)
        return true;
    int status = source->fetch.hop[source->fetch.hop_count - 1].status;
    if (status < 200 || status > 299)
        report_at(findings, RULE_DOC_NOT_FETCHED, nowhere,
                  "The server returned status %d without the document.", status);
    else if (source->fetch.end != FETCH_WHOLE)
        report_at(findings, RULE_DOC_NOT_FETCHED, nowhere,
                  "The server closed the connection before the end of the document.");
    return findings->count[LEVEL_ERROR] == 0;
}

/* Create the library; with resolve, fetch the references. */
static bool fill_library(const struct job *job, const struct source *source, bool has_text,
                         struct library **library, struct gathering **gathering, struct err *err)
{
    scoped(target_free) struct target place = { 0 };
    if (!find_base_url(source, &place, err))
        return false;
    *library = library_new(&place);
    (*library)->entry[0].text = source->text;
    bool is_alone = !has_text || !arg_bool(job, "resolve") || !source->session;
    return is_alone || gather_documents(job, source->session, *library, gathering, err);
}

/* ---- one version of the API ---- */

/* The document with those that it references. */
struct side {
    struct source source;
    struct gathering *gathering;
    struct library *library;
    struct findings *findings;
    struct check check;
    bool has_text; /* the whole document is there */
};

static void free_side(struct side *side)
{
    check_free(&side->check);
    library_free(&side->library);
    gathering_free(&side->gathering);
    free_source(&side->source);
    findings_free(&side->findings);
}

/* Fetch the texts of one side. */
static bool gather_side(const struct job *job, const struct fields *fields, struct side *side,
                        struct err *err)
{
    side->findings = findings_new();
    if (!get_source(job, fields, &side->source, err))
        return false;
    side->has_text = check_response(&side->source, side->findings);
    if (!fill_library(job, &side->source, side->has_text, &side->library, &side->gathering, err))
        return false;
    side->check =
        (struct check){ .document = &side->library->entry[0].document, .findings = side->findings };
    if (arg_bool(job, "resolve") && (fields == &current_fields || side->source.session))
        side->check.library = side->library;
    return true;
}

/* Bytes of text to reserve memory for. Inline documents without others are small enough. */
static size_t bytes_of(const struct side *side)
{
    const struct library *library = side->library;
    size_t bytes = 0;
    for (size_t i = 0; library && i < library->count; i++)
        bytes += library->entry[i].text.size;
    return library && (side->source.is_url || library->count > 1) ? bytes : 0;
}

/* One reservation for both: two jobs with half of what they need would wait for each other. */
static bool reserve_sides(const struct job *job, const struct side *current,
                          const struct side *previous, struct reservation *reservation,
                          struct err *err)
{
    size_t bytes = bytes_of(current) + bytes_of(previous);
    return bytes == 0 || reserve_trees(job, bytes, reservation, err);
}

/* ---- answers ---- */

static void add_path(cJSON *item, const struct node *node)
{
    scoped(buf_free) struct buf path = BUF(PATH_BYTES_MAX);
    node_path(node, &path);
    size_t valid = utf8_valid_bytes(buf_text(&path)); /* the cut may split a character */
    json_text_add(item, "path", (struct text){ buf_str(&path), valid });
}

static void add_findings(cJSON *result, const char *name, const struct check *check,
                         enum level level)
{
    const struct findings *findings = check->findings;
    const struct library *library = check->library;
    cJSON *list = json_list(result, name);
    for (size_t i = 0; i < MIN(findings->count[level], (size_t)FINDINGS_MAX); i++) {
        const struct finding *finding = &findings->item[level][i];
        cJSON *item = json_item(list);
        add_path(item, finding->node);
        json_str(item, "message", finding->message);
        json_str(item, "rule", finding->rule);
        json_int(item, "line", finding->line);
        json_int(item, "column", finding->column);
        if (library && finding->document > 0)
            json_str(item, "document", library->entry[finding->document].target.url);
    }
}

/* The other documents that were read. */
static void add_documents(cJSON *result, const struct library *library)
{
    cJSON *list = json_list(result, "documents");
    for (size_t i = 1; library && i < library->count; i++)
        if (library->entry[i].document.root)
            json_item_str(list, library->entry[i].target.url);
}

/* Ignored findings count. */
static int64_t total_of(const struct findings *findings, enum level level)
{
    return (int64_t)(findings->count[level] + findings->ignored[level]);
}

static void add_ignored(cJSON *result, const struct ruleset *ruleset,
                        const struct findings *findings)
{
    if (ruleset->count == 0)
        return;
    cJSON *ignored = json_map(result, "ignored");
    json_int(ignored, "errors", (int64_t)findings->ignored[LEVEL_ERROR]);
    json_int(ignored, "warnings", (int64_t)findings->ignored[LEVEL_WARNING]);
    json_int(ignored, "hints", (int64_t)findings->ignored[LEVEL_HINT]);
    json_int(ignored, "expired", (int64_t)ruleset->expired);
}

static bool ignores_finding(const void *context, const char *rule, const struct node *at)
{
    return ruleset_ignores(context, rule, at);
}

static unsigned level_of_finding(const void *context, const char *rule, unsigned level)
{
    return ruleset_level(context, rule, level);
}

static void add_result(cJSON *result, const struct source *source, const struct check *check)
{
    const struct findings *findings = check->findings;
    const struct node *root = check->document->root;
    const struct node *swagger = node_get(root, "swagger");
    const struct node *openapi = node_get(root, "openapi");
    const struct node *info = node_get(root, "info");
    bool is_cut = check->is_cut;
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        is_cut |= findings->count[level] > FINDINGS_MAX;

    json_str(result, "source", source->is_url ? "url" : "inline");
    json_str(result, "format", check->document->is_yaml ? "yaml" : "json");
    json_text_add(result, "version", node_lexeme(openapi ? openapi : swagger));
    json_bool(result, "valid", findings->errors == 0);
    json_int(result, "error_count", total_of(findings, LEVEL_ERROR));
    json_int(result, "warning_count", total_of(findings, LEVEL_WARNING));
    add_findings(result, "errors", check, LEVEL_ERROR);
    add_findings(result, "warnings", check, LEVEL_WARNING);
    stats_add(check, result);
    json_text_add(result, "title", node_lexeme(node_get(info, "title")));
    json_text_add(result, "api_version", node_lexeme(node_get(info, "version")));
    json_str(result, "specification", openapi ? "openapi" : swagger ? "swagger" : "");
    json_str(result, "source_url", source->is_url ? source->target.url : "");
    json_int(result, "info_count", total_of(findings, LEVEL_HINT));
    add_findings(result, "hints", check, LEVEL_HINT);
    json_bool(result, "truncated", is_cut);
    if (check->library)
        add_documents(result, check->library);
}

/* ---- the comparison with an earlier document ---- */

/* The first error explains why previous is not a document. */
static bool reject_previous(const struct findings *findings, struct err *err)
{
    const char *why = findings->count[LEVEL_ERROR] > 0 ? findings->item[LEVEL_ERROR][0].message
                                                       : "It is neither.";
    return err_set(err, ERR_INVALID_PREVIOUS,
                   "previous must be a Swagger 2.0 or OpenAPI 3 document. %s", why);
}

/* Parse previous for the comparison; its own findings do not count. */
static bool read_previous(struct side *side, struct err *err)
{
    struct check *check = &side->check;
    if (!side->has_text || !document_read(check->document, side->source.text, check->findings))
        return reject_previous(check->findings, err);
    if (check->library)
        library_read(check->library, check->findings);
    return check_references(check) || reject_previous(check->findings, err);
}

/* Check without other documents: those of an inline previous are not available, so those of the new
 * document must not count either. */
static void check_alone(struct check *check, struct text text, struct findings *findings)
{
    struct document *document = check->document;
    check_free(check);
    document_free(document);
    *check = (struct check){ .document = document, .findings = findings };
    if (document_read(document, text, findings))
        (void)check_references(check);
}

static void add_changes(const struct job *job, const struct ruleset *ruleset,
                        struct check *previous, struct check *check, cJSON *result)
{
    scoped(diff_free) struct diff diff = { .today = job->now_ms / 1000 / DAY_SECONDS,
                                           .ruleset = ruleset };
    if (previous->visit_count == 0)
        return;
    diff.old.check = previous;
    diff.new.check = check;
    diff.is_cut = check->visit_count == 0;
    if (!diff.is_cut)
        diff_run(&diff);
    witness_find(&diff);
    diff_write(&diff, result);
    if (arg_bool(job, "changelog"))
        diff_changelog(&diff, result);
}

static bool check_fields(const struct job *job, struct err *err)
{
    if (!arg_has(job, "spec") && !arg_has(job, "url"))
        return err_set(err, ERR_MISSING_SPEC,
                       "spec or url is required: send the document or its URL");
    return !arg_has(job, "previous") || !arg_has(job, "previous_url") ||
           err_set(err, ERR_CONFLICTING_FIELDS,
                   "previous and previous_url exclude each other; send one of them");
}

static void validate_current(struct side *side)
{
    struct check *check = &side->check;
    if (side->has_text && document_read(check->document, side->source.text, side->findings)) {
        library_read(side->library, side->findings);
        (void)check_document(check);
    }
    findings_sort(side->findings);
}

bool openapi_validate(const struct job *job, cJSON *result, struct err *err)
{
    /* declared first, so freed last */
    scoped(reservation_free) struct reservation reservation = { 0 };
    scoped(free_side) struct side current = { 0 };
    scoped(free_side) struct side previous = { 0 };
    bool is_inline = arg_has(job, "previous");
    bool has_previous = is_inline || arg_has(job, "previous_url");

    struct ruleset ruleset;

    if (!check_fields(job, err) || !ruleset_read(job, &ruleset, err) ||
        (has_previous && !gather_side(job, &previous_fields, &previous, err)) ||
        (is_inline && !read_previous(&previous, err)) ||
        !gather_side(job, &current_fields, &current, err) ||
        !reserve_sides(job, &current, &previous, &reservation, err) ||
        (has_previous && !is_inline && !read_previous(&previous, err)))
        return false;
    current.findings->ignores = ignores_finding;
    current.findings->level_of = level_of_finding;
    current.findings->context = &ruleset;
    validate_current(&current);
    add_result(result, &current.source, &current.check);
    add_ignored(result, &ruleset, current.findings);
    if (current.check.library && is_inline)
        check_alone(&current.check, current.source.text, previous.findings);
    add_changes(job, &ruleset, &previous.check, &current.check, result);
    return true;
}
