/* svc-security/openapi-validate/diff/diff.c - compare operations; sort and write the changes. */
#include "diff.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "calls.h"
#include "documents.h"
#include "servers.h"
#include "sunset.h"
#include "text/json.h"

/* ---- deprecation, stability ---- */

/* draft and alpha operations are not stable yet. */
static bool is_unstable(const struct operation *operation)
{
    return operation && stability_of(operation->node) <= STABILITY_ALPHA;
}

static void compare_stability(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *level = node_get(new, "x-stability-level");
    enum stability before = stability_of(old);
    enum stability after = stability_of(new);
    if (after == before)
        return;
    if (after == STABILITY_BAD)
        diff_add(diff, CHANGE_STABILITY_INVALID, level, NULL, level);
    else if (before != STABILITY_BAD && after < before)
        diff_add(diff, CHANGE_STABILITY_LOWER, level, node_get(old, "x-stability-level"), level);
}

/* Does the document have an x-sunset anywhere? */
static bool has_sunset(struct diff *diff, const struct node *node)
{
    bool has = node_get(node, "x-sunset") != NULL;
    for (size_t i = 0; !has && i < node_count(node) && diff_step(diff); i++)
        has = has_sunset(diff, node->child[i]);
    return has;
}

static void compare_deprecation(struct diff *diff, const struct node *old, const struct node *new)
{
    static const enum change_kind sunsets[SUNSET_CHANGES] = {
        [SUNSET_MISSING] = CHANGE_SUNSET_MISSING, [SUNSET_INVALID] = CHANGE_SUNSET_PARSE,
        [SUNSET_PAST] = CHANGE_SUNSET_TOO_SMALL,  [SUNSET_DELETED] = CHANGE_SUNSET_DELETED,
        [SUNSET_EARLIER] = CHANGE_SUNSET_EARLIER,
    };
    bool was = node_is_true(node_get(old, "deprecated"));
    bool is = node_is_true(node_get(new, "deprecated"));
    if (is && !was)
        diff_add(diff, CHANGE_ENDPOINT_DEPRECATED, new, NULL, NULL);
    if (was && !is)
        diff_add(diff, CHANGE_ENDPOINT_REACTIVATED, new, NULL, NULL);
    diff_sunset(diff, sunsets, old, new);
    compare_stability(diff, old, new);
}

/* ---- operations ---- */

static int by_shape(const void *a, const void *b)
{
    const struct text *shape = a;
    struct text key = ((const struct operation *)b)->key;
    key.size = MIN(key.size, shape->size);
    return text_order(*shape, key);
}

static bool has_path(const struct model *model, const struct operation *operation)
{
    const char *blank = memrchr(operation->key.bytes, ' ', operation->key.size);
    struct text shape = { operation->key.bytes, (size_t)(blank - operation->key.bytes) + 1 };
    return bsearch(&shape, model->operations.item, model->operations.count,
                   sizeof(struct operation), by_shape);
}

/* A deprecated operation may be removed after its sunset, or if it has none. */
static void note_removal(struct diff *diff, const struct operation *old)
{
    const struct node *sunset = node_get(old->node, "x-sunset");
    bool is_path = !has_path(&diff->new, old);
    int64_t day = 0;
    bool is_bad = sunset && !sunset_day(sunset, &day);
    enum change_kind kind = is_path ? CHANGE_PATH_REMOVED : CHANGE_REMOVED;
    if (old->is_outgoing)
        kind = old->is_webhook ? CHANGE_WEBHOOK_REMOVED : CHANGE_CALLBACK_REMOVED;
    else if (node_is_true(node_get(old->node, "deprecated")) && is_bad)
        kind = CHANGE_PATH_SUNSET_PARSE;
    else if (node_is_true(node_get(old->node, "deprecated")) && sunset && day > diff->today)
        kind = is_path ? CHANGE_PATH_REMOVED_EARLY : CHANGE_REMOVED_EARLY;
    else if (node_is_true(node_get(old->node, "deprecated")))
        kind = is_path ? CHANGE_PATH_REMOVED_DEPRECATED : CHANGE_REMOVED_DEPRECATED;
    diff_add(diff, kind, old->node, sunset, NULL);
}

static void compare_ids(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *before = node_get(old, "operationId");
    const struct node *after = node_get(new, "operationId");
    if (text_order(node_text(before), node_text(after)) == 0)
        return;
    if (before)
        diff_add(diff, CHANGE_OPERATION_ID_REMOVED, before, before, NULL);
    if (after)
        diff_add(diff, CHANGE_OPERATION_ID_ADDED, after, NULL, after);
}

static void compare_tags(struct diff *diff, const struct node *old, const struct node *new)
{
    const struct node *before = node_get(old, "tags");
    const struct node *after = node_get(new, "tags");
    for (size_t i = 0; i < node_count(before) && diff_steps(diff, 1 + node_count(after)); i++)
        if (!diff_has(after, before->child[i]))
            diff_add(diff, CHANGE_TAG_REMOVED, before->child[i], before->child[i], NULL);
    for (size_t i = 0; i < node_count(after) && diff_steps(diff, 1 + node_count(before)); i++)
        if (!diff_has(before, after->child[i]))
            diff_add(diff, CHANGE_TAG_ADDED, after->child[i], NULL, after->child[i]);
}

static int by_key(const void *a, const void *b)
{
    return text_order(*(const struct text *)a, ((const struct operation *)b)->key);
}

/* Is the operation of a callback in this document? Otherwise only the operation is reported. */
static bool has_parent(const struct model *model, const struct operation *callback)
{
    return bsearch(&callback->parent, model->operations.item, model->operations.count,
                   sizeof(struct operation), by_key);
}

static void note_one_sided(struct diff *diff, const struct operation *old,
                           const struct operation *new)
{
    const struct operation *only = old ? old : new;
    const struct model *other = old ? &diff->new : &diff->old;
    if (only->is_callback && !has_parent(other, only))
        return;
    if (old)
        note_removal(diff, old);
    else if (new->is_callback)
        diff_add(diff, CHANGE_CALLBACK_ADDED, new->node, NULL, NULL);
    else
        diff_add(diff, new->is_webhook ? CHANGE_WEBHOOK_ADDED : CHANGE_ENDPOINT_ADDED, new->node,
                 NULL, NULL);
}

static void compare_operation(struct diff *diff, const void *before, const void *after)
{
    const struct operation *old = before;
    const struct operation *new = after;
    assert(old || new);
    diff->operation = new ? new : old;
    if (is_unstable(old) && (!new || is_unstable(new)))
        ; /* callers expect changes */
    else if (!old || !new)
        note_one_sided(diff, old, new);
    else {
        compare_deprecation(diff, old->node, new->node);
        compare_ids(diff, old->node, new->node);
        compare_tags(diff, old->node, new->node);
        diff_security(diff, old, new);
        diff_servers(diff, old, new);
        diff_calls(diff, old, new);
    }
    diff->operation = NULL;
}

/* ---- what the request leaves out ---- */

enum {
    DIFF_SHOWN_MAX = 500,        /* of each list */
    CHANGELOG_BYTES = 256 << 10, /* as end_changelog() says */
    FINGERPRINT_BYTES = 17,      /* 16 digits */
    PATH_BYTES_MAX = 1000,       /* of pointers, paths and ids; longer ones are truncated */
};

/* With its size, so that no two lists of parts look alike. */
static void add_part(struct buf *out, struct text part)
{
    buf_format(out, "/%zu:", part.size);
    buf_add(out, part.bytes, part.size);
}

/* An item of a list by what names it, so that its path stays when another item comes before it. */
static void add_item_name(const struct node *item, struct buf *out)
{
    static const char *const members[] = { "$ref", "name", "url", "title" };
    struct text place = node_text_at(item, "in"); /* of a parameter */
    struct text name = node_text(item);
    for (size_t i = 0; i < countof(members) && name.size == 0; i++)
        name = node_text_at(item, members[i]);
    if (name.size == 0) {
        buf_format(out, "/%u", item->index);
        return;
    }
    add_part(out, place);
    add_part(out, name);
}

/* As node_path(), with names for items of lists. */
static void add_path(const struct node *node, struct buf *out)
{
    if (!node || !node->parent)
        return;
    add_path(node->parent, out); /* recursion is limited by the document's depth */
    if (node->parent->kind == NODE_LIST) {
        add_item_name(node, out);
        return;
    }
    add_part(out, node->key);
}

/* The same for the same change between the same places. */
static void make_fingerprint(const struct change *change, char hex[static FINGERPRINT_BYTES])
{
    scoped(buf_free) struct buf text = BUF(8 * PATH_BYTES_MAX);
    scoped(buf_free) struct buf from = BUF(CHANGE_VALUE_BYTES);
    scoped(buf_free) struct buf to = BUF(CHANGE_VALUE_BYTES);
    unsigned char sum[EVP_MAX_MD_SIZE] = { 0 };
    char digits[2 * EVP_MAX_MD_SIZE + 1];
    unsigned size = 0;
    const struct operation *operation = change->operation;
    struct text none = TEXT("");
    struct text method = operation ? operation->method : none;
    struct text path = operation ? operation->path : none;
    change_value(change->from, &from);
    change_value(change->to, &to);
    buf_format(&text, "%s\n%.*s\n%.*s\n%s\n%s\n", change->id, (int)method.size, method.bytes,
               (int)MIN(path.size, (size_t)PATH_BYTES_MAX), path.bytes, buf_str(&from),
               buf_str(&to));
    add_path(change->node, &text);
    if (!EVP_Digest(buf_str(&text), text.size, sum, &size, EVP_sha256(), NULL))
        size = FINGERPRINT_BYTES / 2;
    hex_encode(digits, sum, size);
    memcpy(hex, digits, FINGERPRINT_BYTES - 1);
    hex[FINGERPRINT_BYTES - 1] = '\0';
}

static void apply_ruleset(struct diff *diff, struct change *change)
{
    const struct ruleset *ruleset = diff->ruleset;
    char fingerprint[FINGERPRINT_BYTES];
    diff->count[change->level]--;
    change->level = (enum change_level)ruleset_level(ruleset, change->id, change->level);
    diff->count[change->level]++;
    if (ruleset_ignores(ruleset, change->id, change->node)) {
        change->fate = CHANGE_IGNORED;
        return;
    }
    if (json_size(ruleset->accepted) == 0 || change->level == CHANGE_INFO)
        return;
    make_fingerprint(change, fingerprint);
    if (ruleset_accepts(ruleset, fingerprint))
        change->fate = CHANGE_ACCEPTED;
}

/* ---- entry point ---- */

static int by_operation(const struct operation *left, const struct operation *right)
{
    struct text none = { "", 0 };
    if (left == right)
        return 0;
    int order = text_order(left ? left->path : none, right ? right->path : none);
    return order != 0 ? order
                      : text_order(left ? left->method : none, right ? right->method : none);
}

/* Most neighbors share the operation and the text of the id. */
static int by_place(const void *a, const void *b)
{
    const struct change *left = a;
    const struct change *right = b;
    int order = by_operation(left->operation, right->operation);
    if (order == 0 && left->id != right->id)
        order = strcmp(left->id, right->id);
    return order != 0 ? order : number_order(left->order, right->order);
}

void diff_run(struct diff *diff)
{
    check_begin(diff->old.check);
    check_begin(diff->new.check);
    model_build(&diff->old);
    model_build(&diff->new);
    diff->is_cut = diff->old.check->is_cut || diff->new.check->is_cut;
    if (diff->is_cut)
        return; /* an incomplete model would report false removals */
    diff->new.check->steps_left = DIFF_STEPS_MAX;
    diff->has_sunsets = has_sunset(diff, diff->new.check->document->root);
    diff_documents(diff);
    diff_join(diff, &diff->old.operations, &diff->new.operations, compare_operation);
    if (diff->kept > 0)
        qsort(diff->changes, diff->kept, sizeof(struct change), by_place);
    for (size_t i = 0; diff->ruleset && i < diff->kept; i++)
        apply_ruleset(diff, &diff->changes[i]);
}

void diff_free(struct diff *diff)
{
    pairs_free(&diff->pairs);
    mem_free(&diff->places);
    mem_free(&diff->records);
    mem_free(&diff->changes);
    arena_free(&diff->arena);
}

/* ---- writing ---- */

static void write_text(cJSON *item, const char *name, struct text text)
{
    text.size = MIN(text.size, (size_t)PATH_BYTES_MAX);
    text.size = utf8_valid_bytes(text); /* the cut may split a character */
    json_text_add(item, name, text);
}

static void write_value(cJSON *item, const char *name, const struct node *node)
{
    scoped(buf_free) struct buf text = BUF(CHANGE_VALUE_BYTES);
    change_value(node, &text);
    json_str(item, name, node ? buf_str(&text) : NULL);
}

static void write_change(const struct diff *diff, cJSON *list, const struct change *change)
{
    char fingerprint[FINGERPRINT_BYTES];
    static const char *const levels[] = { "error", "warning", "info" };
    scoped(buf_free) struct buf location = BUF(PATH_BYTES_MAX);
    scoped(buf_free) struct buf message = BUF(FINDING_MESSAGE_BYTES);
    const struct operation *operation = change->operation;
    struct text none = TEXT("");
    cJSON *item = json_item(list);
    node_path(change->node, &location);
    change_message(change, &message);
    json_str(item, "id", change->id);
    json_str(item, "level", levels[change->level]);
    write_text(item, "method", operation ? operation->method : none);
    write_text(item, "path", operation ? operation->path : none);
    write_text(item, "location", (struct text){ buf_str(&location), location.size });
    json_str(item, "message", buf_str(&message));
    write_text(item, "operation_id",
               operation ? node_text_at(operation->node, "operationId") : none);
    write_value(item, "from", change->from);
    write_value(item, "to", change->to);
    if (change->level != CHANGE_INFO && (change->witness || change->witness_note)) {
        json_str(item, "witness", change->witness);
        if (!change->witness)
            json_str(item, "witness_note", change->witness_note);
    }
    if (diff->ruleset && diff->ruleset->accepted) {
        make_fingerprint(change, fingerprint);
        json_str(item, "fingerprint", fingerprint);
    }
}

static bool write_changes(const struct diff *diff, cJSON *result, const char *name, bool is_info)
{
    cJSON *list = json_list(result, name);
    size_t written = 0;
    for (size_t i = 0; i < diff->kept; i++) {
        if ((diff->changes[i].level == CHANGE_INFO) != is_info ||
            diff->changes[i].fate != CHANGE_LISTED)
            continue;
        if (written++ < DIFF_SHOWN_MAX)
            write_change(diff, list, &diff->changes[i]);
    }
    return written > DIFF_SHOWN_MAX;
}

static void write_version(cJSON *summary, const char *name, const struct model *model)
{
    const struct node *info = node_get(model->check->document->root, "info");
    json_text_add(summary, name, node_lexeme(node_get(info, "version")));
}

/* Changes that are left out, and whether a breaking one is left. */
struct fates {
    size_t accepted;
    size_t ignored;
    size_t breaking; /* breaking ones that are left out */
};

static struct fates count_fates(const struct diff *diff)
{
    struct fates fates = { 0 };
    for (size_t i = 0; diff->ruleset && i < diff->kept; i++) {
        fates.accepted += diff->changes[i].fate == CHANGE_ACCEPTED;
        fates.ignored += diff->changes[i].fate == CHANGE_IGNORED;
        fates.breaking +=
            diff->changes[i].fate != CHANGE_LISTED && diff->changes[i].level != CHANGE_INFO;
    }
    return fates;
}

/* Add text of a document, so that no Markdown or HTML in it has an effect. */
static void add_escaped(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_[]<>&|~!", *text))
            buf_add_byte(out, '\\');
        buf_add_byte(out, *text);
    }
}

/* Add a code span whose delimiter is longer than each run of backticks in the text. */
static void add_code(struct buf *out, const char *text)
{
    size_t longest = 0;
    for (const char *at = text; *at; at++) {
        size_t run = strspn(at, "`");
        longest = MAX(longest, run);
        at += run > 0 ? run - 1 : 0;
    }
    const char *pad = longest > 0 ? " " : "";
    for (size_t i = 0; i <= longest; i++)
        buf_add_byte(out, '`');
    buf_format(out, "%s%s%s", pad, text, pad);
    for (size_t i = 0; i <= longest; i++)
        buf_add_byte(out, '`');
}

static void add_operation(struct buf *out, const struct operation *operation)
{
    scoped(buf_free) struct buf text = BUF(2 * PATH_BYTES_MAX);
    buf_format(&text, "%s %s", quote(operation->method).bytes, quote(operation->path).bytes);
    add_code(out, buf_str(&text));
    buf_add_str(out, ": ");
}

static void add_section(const struct diff *diff, const char *title, enum change_level level,
                        struct buf *out)
{
    bool is_first = true;
    for (size_t i = 0; i < diff->kept; i++) {
        const struct change *change = &diff->changes[i];
        const struct operation *operation = change->operation;
        if (change->level != level || change->fate != CHANGE_LISTED)
            continue;
        if (is_first)
            buf_format(out, "## %s\n\n", title);
        is_first = false;
        buf_add_str(out, "- ");
        if (operation)
            add_operation(out, operation);
        scoped(buf_free) struct buf message = BUF(FINDING_MESSAGE_BYTES);
        change_message(change, &message);
        add_escaped(out, buf_str(&message));
        buf_format(out, " (`%s`)\n", change->id);
    }
    if (!is_first)
        buf_add_str(out, "\n");
}

/* End a full text with its last whole line and a note. */
static void end_changelog(struct buf *text)
{
    static const char note[] = "\n*There are more changes, but the limit is 256 KiB.*\n";
    if (!text->full)
        return;
    text->full = false;
    text->size = MIN(text->size, CHANGELOG_BYTES - strlen(note));
    while (text->size > 0 && text->bytes[text->size - 1] != '\n')
        text->size--;
    buf_add_str(text, note);
}

void diff_changelog(const struct diff *diff, cJSON *result)
{
    scoped(buf_free) struct buf text = BUF(CHANGELOG_BYTES);
    add_section(diff, "Breaking", CHANGE_ERROR, &text);
    add_section(diff, "Possibly breaking", CHANGE_WARNING, &text);
    add_section(diff, "Other changes", CHANGE_INFO, &text);
    end_changelog(&text);
    json_text_add(result, "changelog", buf_text(&text));
}

void diff_write(const struct diff *diff, cJSON *result)
{
    struct fates fates = count_fates(diff);
    bool is_cut = write_changes(diff, result, "breaking_changes", false);
    is_cut |= write_changes(diff, result, "non_breaking_changes", true);
    cJSON *summary = json_map(result, "diff_summary");
    json_bool(summary, "breaking",
              diff->count[CHANGE_ERROR] + diff->count[CHANGE_WARNING] > fates.breaking);
    json_int(summary, "errors", (int64_t)diff->count[CHANGE_ERROR]);
    json_int(summary, "warnings", (int64_t)diff->count[CHANGE_WARNING]);
    json_int(summary, "infos", (int64_t)diff->count[CHANGE_INFO]);
    write_version(summary, "previous_version", &diff->old);
    write_version(summary, "current_version", &diff->new);
    if (diff->ruleset && diff->ruleset->accepted)
        json_int(summary, "accepted", (int64_t)fates.accepted);
    if (diff->ruleset && diff->ruleset->count > 0)
        json_int(summary, "ignored", (int64_t)fates.ignored);
    json_bool(summary, "truncated", is_cut || diff->is_cut || diff->kept == DIFF_KEPT_MAX);
}
