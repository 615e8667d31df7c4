/* portal/playground/outcome.c - see outcome.h. */
#include "portal/playground/outcome.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/base64.h"
#include "base/num.h"
#include "base/text.h"
#include "portal/base/numbers.h"
#include "portal/playground/fields.h"
#include "portal/playground/report.h"
#include "portal/results/view.h"
#include "portal/snippets/json-indent.h"
#include "portal/template/template.h"
#include "text/json.h"

enum {
    INDENTED_BYTES = 512 << 10, /* larger JSON is shown unformatted */
    SHOWN_BYTES = 24 << 20,
    CUT_BYTES = 256 << 10, /* shown of a response that does not fit into memory */
    REST_BYTES = 1 << 20,  /* of a page, in addition to the response */
    SENTENCE_BYTES = 400,
    ENVELOPE_BYTES = 1 << 20, /* of an error response */
    VIEWED_VALUES = 64 << 10, /* of a response that is shown as more than text */
    VALUE_BYTES = 128,        /* of a value, when it is parsed */
};

cJSON *outcome_none(const char *heading, const char *sentence)
{
    cJSON *outcome = json_object();
    json_str(outcome, "heading", heading);
    json_bool(outcome, "is_good", false);
    json_str(outcome, "sentence", sentence);
    return outcome;
}

/* ---- headers ---- */

static const char *header_of(const struct call_answer *answer, const char *name)
{
    const char *value = fetch_header(fetch_last(answer->fetch), name);
    return value ? value : "";
}

static int64_t number_of(const struct call_answer *answer, const char *name)
{
    int64_t value;
    return num_parse(text_of(header_of(answer, name)), INT64_MAX, &value) ? value : 0;
}

/* "Charged 5 credits, 1,477 left, 812 ms, request 0198…" */
static void add_charge(const struct call_answer *answer, cJSON *outcome)
{
    char words[SENTENCE_BYTES];
    char charged[NUMBER_BYTES];
    char left[NUMBER_BYTES];
    char took[NUMBER_BYTES];
    credits_write(number_of(answer, "X-Credits-Charged"), charged);
    number_write(number_of(answer, "X-Credits-Remaining"), left);
    number_write(answer->took_ms, took);
    bool is_again = strcmp(header_of(answer, "Idempotency-Replayed"), "true") == 0;
    if (is_again)
        snprintf(words, sizeof(words),
                 "This run was already charged and is not charged again, %s left, request %.60s",
                 left, header_of(answer, "X-Request-Id"));
    else
        snprintf(words, sizeof(words), "Charged %s, %s left, %s ms, request %.60s", charged, left,
                 took, header_of(answer, "X-Request-Id"));
    json_str(outcome, "sentence", words);
}

/* ---- the response ---- */

/* The size as HTML: five characters become up to six bytes each. */
static size_t escaped_bytes(struct text text)
{
    size_t bytes = text.size;
    for (size_t i = 0; i < text.size; i++)
        bytes += ascii_is_one_of(text.bytes[i], "&<>\"'") ? 5 : 0;
    return bytes;
}

/* The model has one copy, and the page another. */
static bool has_room(struct text text, struct call_answer *answer)
{
    size_t page = escaped_bytes(text) + REST_BYTES;
    return text.size <= SHOWN_BYTES && page <= OUTCOME_PAGE_BYTES &&
           call_answer_claim(answer, answer->reservation.bytes + text.size + page);
}

static void add_text(struct text text, struct call_answer *answer, cJSON *outcome)
{
    scoped(buf_free) struct buf shown = BUF(SHOWN_BYTES + SENTENCE_BYTES);
    bool is_cut = !has_room(text, answer) && text.size > CUT_BYTES;
    size_t size = is_cut ? CUT_BYTES : text.size;
    buf_add(&shown, text.bytes, size);
    if (shown.size > 0) {
        text_repair(shown.bytes); /* the last character may be cut */
        shown.size = strlen(shown.bytes);
    }
    if (is_cut)
        buf_format(&shown, "\n… %zu bytes in total; call the API to get all of them", text.size);
    json_text_add(outcome, "shown", buf_text(&shown));
}

static void add_json(struct call_answer *answer, cJSON *outcome)
{
    scoped(buf_free) struct buf lines = BUF(4 * INDENTED_BYTES);
    struct text body = buf_text(&answer->fetch->body);
    if (body.size <= INDENTED_BYTES && json_indent(body, &lines))
        add_text(buf_text(&lines), answer, outcome);
    else
        add_text(body, answer, outcome);
}

/* Only image types of the contract are shown as images. */
static bool add_picture(const struct contract *contract, const char *type,
                        struct call_answer *answer, cJSON *outcome)
{
    struct text body = buf_text(&answer->fetch->body);
    scoped(buf_free) struct buf encoded = BUF(body.size / 3 * 4 + 8);
    if (strncmp(type, "image/", 6) != 0 || !contract_list_has(&contract->raw, type) ||
        !call_answer_claim(answer, answer->reservation.bytes + 3 * body.size))
        return false;
    base64_encode(&encoded, body);
    template_image(outcome, "picture", type, buf_text(&encoded));
    return true;
}

/* At most this many values are in it: each is followed by one of these bytes. */
static size_t values_of(struct text json)
{
    size_t values = 1;
    for (size_t i = 0; i < json.size; i++)
        values += json.bytes[i] == ',' || json.bytes[i] == '{' || json.bytes[i] == '[';
    return values;
}

/* The response as people read it, next to the JSON. Its images are in the tree, the view and the
 * page. */
static void add_view(const struct contract *contract, struct call_answer *answer, cJSON *outcome)
{
    scoped(json_free) cJSON *tree = NULL;
    struct text body = buf_text(&answer->fetch->body);
    size_t values = values_of(body);
    bool has_repeats;
    if (values > VIEWED_VALUES ||
        !call_answer_claim(answer, answer->reservation.bytes + values * VALUE_BYTES +
                                       5 * body.size + 2 * (size_t)VIEW_PAGE_BYTES))
        return;
    if (json_parse_as_is(body, JSON_DEPTH, &tree, &has_repeats, NULL) &&
        json_is(json_get(tree, "result"), cJSON_Object))
        result_view_add(contract, json_get(tree, "result"), outcome);
}

static void add_answer(const struct contract *contract, struct call_answer *answer, cJSON *outcome)
{
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(answer->fetch, type);
    json_str(outcome, "type", type);
    if (strcmp(type, "application/json") == 0)
        add_json(answer, outcome);
    else if (!add_picture(contract, type, answer, outcome))
        add_text(buf_text(&answer->fetch->body), answer, outcome);
}

/* Fields that the tool does not know, as the header lists them. */
static void add_ignored(const struct call_answer *answer, cJSON *outcome)
{
    const char *ignored = header_of(answer, "X-Ignored-Fields");
    if (ignored[0])
        json_str(outcome, "ignored", ignored);
}

/* ---- errors ---- */

/* Show it at its field, and in the list. */
static void add_failure(struct visit *visit, const struct contract *contract, const cJSON *error,
                        cJSON *failures)
{
    const char *message = json_text(error, "/message");
    const char *property = playground_property_of(contract, message ? message : "");
    cJSON *failure = json_item(failures);
    json_str(failure, "code", json_text(error, "/code"));
    json_str(failure, "message", message);
    if (property && strcmp(form_text(&visit->form, "how"), "raw") != 0) {
        char name[FIELD_NAME_BYTES];
        field_name_write(property, name);
        visit_add_error(visit, name, "%s.", message);
    }
}

static bool has_code(const cJSON *envelope, const char *code)
{
    const char *first = json_text(envelope, "/errors/0/code");
    return first && strcmp(first, code) == 0;
}

static const char *sentence_of(const cJSON *envelope, bool *is_open)
{
    *is_open = true;
    if (has_code(envelope, "outcome_unknown"))
        return "This run may have been charged. Run again: you are never charged twice for this "
               "run.";
    if (has_code(envelope, "idempotency_in_progress"))
        return "This run is still in progress. Run again: you are never charged twice for this "
               "run.";
    *is_open = false;
    return "Nothing was charged.";
}

static void add_failures(struct visit *visit, const struct contract *contract,
                         struct call_answer *answer, cJSON *outcome, bool *is_open)
{
    scoped(json_free) cJSON *envelope = NULL;
    const struct buf *body = &answer->fetch->body;
    const cJSON *error;
    cJSON *failures = json_list(outcome, "faults");
    json_bool(outcome, "is_good", false);
    json_str(outcome, "heading", "Failed");
    if (body->size <= ENVELOPE_BYTES && !json_parse(buf_text(body), JSON_DEPTH, &envelope, NULL))
        envelope = NULL;
    json_str(outcome, "sentence", sentence_of(envelope, is_open));
    json_bool(outcome, "is_poor", has_code(envelope, "insufficient_credits"));
    cJSON_ArrayForEach(error, json_get(envelope, "errors"))
        add_failure(visit, contract, error, failures);
}

/* A report is shown in a frame, JSON as people read it, too. */
static void add_shown(struct visit *visit, const struct tool_call *call, struct call_answer *answer,
                      cJSON *outcome)
{
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(answer->fetch, type);
    if (report_is(call->contract, type) && report_add(visit, call, outcome)) {
        json_str(outcome, "type", type);
        return;
    }
    add_answer(call->contract, answer, outcome);
    if (strcmp(type, "application/json") == 0)
        add_view(call->contract, answer, outcome);
}

cJSON *outcome_of(struct visit *visit, const struct tool_call *call, struct call_answer *answer,
                  bool *is_open)
{
    cJSON *outcome = json_object();
    const struct contract *contract = call->contract;
    int status = fetch_last(answer->fetch)->status;
    *is_open = false;
    json_int(outcome, "status", status);
    if (status == 200) {
        json_bool(outcome, "is_good", true);
        json_str(outcome, "heading", "Done");
        add_charge(answer, outcome);
        add_shown(visit, call, answer, outcome);
        add_ignored(answer, outcome);
    } else {
        add_failures(visit, contract, answer, outcome, is_open);
    }
    return outcome;
}

/* ---- dry runs ---- */

static void add_verdict(const cJSON *result, cJSON *outcome)
{
    char price[NUMBER_BYTES];
    char left[NUMBER_BYTES];
    char words[SENTENCE_BYTES];
    const char *message = json_text(result, "/refusal/message");
    bool is_good = json_is(json_get(result, "would_run"), cJSON_True);
    credits_write(json_integer(result, "credits"), price);
    number_write(json_integer(result, "credits_available"), left);
    json_bool(outcome, "is_good", is_good);
    json_str(outcome, "heading", is_good ? "It would run" : "It would be rejected");
    if (is_good)
        snprintf(words, sizeof(words), "The request is valid. A run costs %s, %s left.", price,
                 left);
    else
        snprintf(words, sizeof(words), "The request is valid, but %s.", message ? message : "");
    json_str(outcome, "sentence", words);
}

cJSON *outcome_of_check(struct visit *visit, const struct contract *contract,
                        struct call_answer *answer)
{
    cJSON *outcome = json_object();
    scoped(json_free) cJSON *envelope = NULL;
    int status = fetch_last(answer->fetch)->status;
    bool is_open;
    json_int(outcome, "status", status);
    if (status != 200 ||
        !json_parse(buf_text(&answer->fetch->body), 2 * JSON_DEPTH, &envelope, NULL)) {
        add_failures(visit, contract, answer, outcome, &is_open);
        return outcome;
    }
    add_verdict(json_get(envelope, "result"), outcome);
    add_answer(contract, answer, outcome);
    add_ignored(answer, outcome);
    return outcome;
}
