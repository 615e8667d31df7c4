/*
 * svc-utils/json-to-code/json-to-code.c - types in ten targets for a JSON sample. The sample is
 * read from the request's bytes, because a tree of doubles cannot distinguish 1.0 from 1.
 */
#include <string.h>

#include "base/table.h"
#include "json-to-code/languages/target.h"
#include "json-to-code/model/refine.h"
#include "json-to-code/model/sample.h"
#include "naming.h"
#include "notes.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum { CODE_BYTES = 1 << 20 }; /* for each target; contract: max_reply_bytes */

/* In the order of the result. */
static const struct target {
    const char *name;
    target_write *write;
} targets[] = {
    { "json-schema", write_json_schema },
    { "typescript", write_typescript },
    { "go", write_go },
    { "python", write_python },
    { "rust", write_rust },
    { "kotlin", write_kotlin },
    /* only on request: the default stays the six above */
    { "zod", write_zod },
    { "java", write_java },
    { "csharp", write_csharp },
    { "php", write_php },
};

enum { DEFAULT_TARGETS = 6 };

/* Aliases. Lookups ignore case, - and _, so jsonschema is already accepted. */
static const struct target_alias {
    const char *name;
    const char *target;
} target_aliases[] = {
    { "schema", "json-schema" }, { "ts", "typescript" },     { "golang", "go" },
    { "py", "python" },          { "pydantic", "python" },   { "rs", "rust" },
    { "serde", "rust" },         { "kt", "kotlin" },         { "c#", "csharp" },
    { "cs", "csharp" },          { "newtonsoft", "csharp" },
};

/* Names of the field with the sample, in order of preference. */
static const char *const sample_names[] = { "sample", "json", "data", "value", "input" };

/* ---- the request ---- */

static bool choose_target(const cJSON *item, unsigned *chosen, struct err *err)
{
    struct text text = json_text_of(item);
    const char *name = strlen(text.bytes) == text.size ? text.bytes : "";
    const struct target_alias *alias = TABLE_FIND_LOOSE(target_aliases, name);
    const struct target *target = TABLE_FIND_LOOSE(targets, alias ? alias->target : name);
    if (!target)
        return err_set(err, ERR_INVALID_VALUE,
                       "each of targets must be json-schema, typescript, go, python, rust, kotlin, "
                       "zod, java, csharp or php");
    *chosen |= 1U << (target - targets);
    return true;
}

/* One bit for each index in targets; without a choice, the first six. */
static bool choose_targets(const struct job *job, unsigned *chosen, struct err *err)
{
    const cJSON *given = arg_any(job, "targets");
    const cJSON *item;

    *chosen = 0;
    if (given && given->type != cJSON_Array)
        return choose_target(given, chosen, err);
    cJSON_ArrayForEach(item, given)
        if (!choose_target(item, chosen, err))
            return false;
    if (*chosen == 0)
        *chosen = (1U << DEFAULT_TARGETS) - 1;
    return true;
}

static size_t rank_of(struct text name)
{
    size_t rank = 0;
    while (rank < countof(sample_names) && !text_is(name, sample_names[rank]))
        rank++;
    return rank;
}

/* The offset in the body of the sample's value, or of the list of samples. */
static bool find_sample(struct text body, bool is_list, size_t *offset, struct err *err)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(body, JSON_DEPTH);
    struct json_event event;
    size_t best = countof(sample_names);
    do {
        if (!json_next(reader, &event, err))
            return false;
        bool is_member = event.kind == JSON_KEY && event.depth == 1;
        size_t rank = is_member && !is_list ? rank_of(event.text) : best;
        if (is_member && is_list && text_is(event.text, "samples"))
            rank = 0;
        if (rank >= best)
            continue;
        if (!json_next(reader, &event, err))
            return false;
        best = rank;
        *offset = event.offset;
    } while (event.kind != JSON_END);
    return best < countof(sample_names) || err_set(err, ERR_MISSING_FIELD, "sample is required");
}

/* Read each sample separately and merge it with the previous ones, as for elements of an array. */
static bool read_samples(struct model *model, struct json_reader *reader, struct err *err)
{
    for (;;) {
        struct json_event event;
        struct shape before = model->root;
        if (!json_next(reader, &event, err))
            return false;
        if (event.kind == JSON_ARRAY_CLOSE)
            return true;
        model->root = (struct shape){ 0 };
        if (!sample_read(model, reader, &event, err))
            return false;
        model_merge(model, &before, &model->root);
        model->root = before;
    }
}

static bool read_sample(const struct job *job, struct model *model, struct err *err)
{
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(job->body, JSON_DEPTH);
    bool is_list = arg_has(job, "samples");
    struct json_event event;
    size_t offset = 0;

    if (is_list && arg_has(job, "sample"))
        return err_set(err, ERR_CONFLICTING_FIELDS, "send either sample or samples, not both");
    if (!find_sample(job->body, is_list, &offset, err))
        return false;
    do {
        if (!json_next(reader, &event, err))
            return false;
    } while (event.offset < offset);
    return is_list ? read_samples(model, reader, err) : sample_read(model, reader, &event, err);
}

/* The contract has checked the form. */
static bool read_package(const struct job *job, struct model *model, struct err *err)
{
    /* words that cannot be part of a package's name in Go, Java or Kotlin */
    static const char *const reserved[] = {
#include "reserved-packages.def"
    };
    model->package = arg_has(job, "package_name") ? arg_str(job, "package_name") : NULL;
    for (const char *at = model->package; at && *at; at += *at == '.') {
        size_t size = strcspn(at, ".");
        for (size_t i = 0; i < countof(reserved); i++)
            if (strlen(reserved[i]) == size && memcmp(reserved[i], at, size) == 0)
                return err_set(err, ERR_INVALID_VALUE,
                               "package_name must not contain a keyword of Go, Java or Kotlin");
        at += size;
    }
    return true;
}

/* ---- the result ---- */

static bool add_code(struct model *model, const struct target *target, cJSON *code, struct err *err)
{
    scoped(buf_free) struct buf text = BUF(CODE_BYTES);
    target->write(model, &text);
    if (text.full)
        return err_set(err, ERR_TOO_COMPLEX, "the %s code for the sample is larger than %d bytes",
                       target->name, CODE_BYTES);
    json_text_add(code, target->name, buf_text(&text));
    return true;
}

static void add_type(cJSON *types, const char *name, const char *path, size_t fields)
{
    cJSON *type = json_item(types);
    json_str(type, "name", name);
    json_str(type, "path", path);
    json_int(type, "fields", (int64_t)fields);
}

static void add_types(cJSON *result, const struct model *model)
{
    cJSON *types = json_list(result, "types");
    if (!model_root_is_object(model))
        add_type(types, model->root_name, "$", 0);
    for (size_t i = 0; i < model->types.count; i++) {
        const struct object *object = model->types.item[i];
        add_type(types, object->name, object->path, object->field_count);
    }
}

static void add_notes(cJSON *result, const struct model *model)
{
    cJSON *notes = json_list(result, "notes");
    for (size_t i = 0; i < model->note_count; i++) {
        cJSON *note = json_item(notes);
        json_str(note, "path", model->notes[i].path);
        json_str(note, "code", model->notes[i].code);
        json_str(note, "message", model->notes[i].message);
    }
    json_bool(result, "truncated", model->notes_are_cut);
}

bool json_to_code(const struct job *job, cJSON *result, struct err *err)
{
    scoped(model_free) struct model model = { 0 };
    unsigned chosen;

    model.wants_enums = arg_bool(job, "enums");
    model.wants_date_times = arg_bool(job, "date_times");
    if (!read_package(job, &model, err) || !choose_targets(job, &chosen, err) ||
        !read_sample(job, &model, err) || !refine(&model, arg_any(job, "maps"), err))
        return false;
    if (!name_types(&model, arg_text(job, "root_name"), err))
        return false;
    take_notes(&model);

    json_str(result, "root_name", model.root_name);
    cJSON *names = json_list(result, "targets");
    json_int(result, "types_generated", (int64_t)model_type_count(&model));
    cJSON *code = json_map(result, "code");
    for (size_t i = 0; i < countof(targets); i++) {
        if (!(chosen & 1U << i))
            continue;
        json_item_str(names, targets[i].name);
        if (!add_code(&model, &targets[i], code, err))
            return false;
    }
    add_types(result, &model);
    add_notes(result, &model);
    return true;
}
