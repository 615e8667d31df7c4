/* gateway/tollctl/args.c - parses a command line by a table. */
#include "gateway/tollctl/args.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"

static bool is_option_name(const char *name)
{
    return name[0] == '-';
}

/* ---- one value ---- */

static bool has_control(const char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            return true;
    return false;
}

static bool check_text(const struct arg_spec *spec, const char *word, struct err *err)
{
    struct text text = text_of(word);
    if (!utf8_is_valid(text) || has_control(word))
        return err_set(err, ERR_INVALID_VALUE,
                       "%s must be UTF-8 text on one line, without control characters", spec->name);
    int64_t length = (int64_t)utf8_length(text);
    if (length < spec->min || length > spec->max)
        return err_set(err, ERR_INVALID_VALUE, "%s must have %" PRId64 " to %" PRId64 " characters",
                       spec->name, spec->min, spec->max);
    return true;
}

static bool parse_int(const char *word, int64_t *value)
{
    bool is_negative = word[0] == '-';
    if (!num_parse(text_of(word + is_negative), INT64_MAX, value))
        return false;
    if (is_negative)
        *value = -*value;
    return true;
}

static bool check_int(const struct arg_spec *spec, const char *word, struct err *err)
{
    int64_t value;
    if (!parse_int(word, &value) || value < spec->min || value > spec->max)
        return err_set(err, ERR_INVALID_VALUE,
                       "%s must be a whole number from %" PRId64 " to %" PRId64, spec->name,
                       spec->min, spec->max);
    return true;
}

static bool check_uuid(const struct arg_spec *spec, const char *word, struct arg *arg,
                       struct err *err)
{
    struct uuid uuid;
    if (!uuid_parse(text_of(word), &uuid))
        return err_set(err, ERR_INVALID_VALUE,
                       "%s must be an id like 018f3a5e-0000-7000-8000-000000000000", spec->name);
    uuid_format(arg->uuid, &uuid);
    return true;
}

static bool check(const struct arg_spec *spec, const char *word, struct arg *arg, struct err *err)
{
    switch (spec->type) {
    case ARG_TEXT:
        return check_text(spec, word, err);
    case ARG_INT:
        return check_int(spec, word, err);
    case ARG_UUID:
        return check_uuid(spec, word, arg, err);
    case ARG_PATH:
        return *word != '\0' || err_set(err, ERR_INVALID_VALUE, "%s is empty", spec->name);
    case ARG_FLAG:
        return true;
    }
    return false;
}

static bool add(const struct arg_spec *spec, struct arg *arg, const char *word, struct err *err)
{
    if (arg->count > 0 && !spec->is_list)
        return err_set(err, ERR_INVALID_VALUE, "%s is given twice", spec->name);
    if (arg->count == ARG_ITEMS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "%s is given more than %d times", spec->name,
                       ARG_ITEMS_MAX);
    if (!check(spec, word, arg, err))
        return false;
    arg->item[arg->count++] = spec->type == ARG_UUID ? arg->uuid : word;
    return true;
}

/* ---- the line ---- */

/* The row of an option, which may have =VALUE. */
static const struct arg_spec *find_option(const struct arg_spec *specs, const char *word)
{
    size_t size = strcspn(word, "=");
    for (const struct arg_spec *spec = specs; spec->name; spec++)
        if (strlen(spec->name) == size && memcmp(spec->name, word, size) == 0)
            return spec;
    return NULL;
}

/* Parse the option at *words; leaves *words at the last word used. */
static bool take_option(struct args *args, const char *const **words, struct err *err)
{
    const char *word = **words;
    const struct arg_spec *spec = find_option(args->specs, word);
    if (!spec)
        return err_set(err, ERR_INVALID_VALUE, "unknown option %s", word);
    struct arg *arg = &args->arg[spec - args->specs];
    const char *equals = strchr(word, '=');
    if (spec->type == ARG_FLAG)
        return equals ? err_set(err, ERR_INVALID_VALUE, "%s takes no value", spec->name)
                      : add(spec, arg, "", err);
    if (equals)
        return add(spec, arg, equals + 1, err);
    const char *next = (*words)[1];
    if (!next || strncmp(next, "--", 2) == 0)
        return err_set(err, ERR_INVALID_VALUE, "%s needs a value: %s %s", spec->name, spec->name,
                       spec->value);
    ++*words;
    return add(spec, arg, next, err);
}

static bool take_place(struct args *args, size_t place, const char *word, struct err *err)
{
    const struct arg_spec *spec = &args->specs[place];
    if (!spec->name || is_option_name(spec->name))
        return err_set(err, ERR_INVALID_VALUE, "unexpected argument %s", word);
    return add(spec, &args->arg[place], word, err);
}

static bool is_needed(const struct arg_spec *spec)
{
    return is_option_name(spec->name) ? spec->is_required : !spec->is_optional;
}

static bool check_missing(const struct args *args, struct err *err)
{
    for (size_t i = 0; args->specs[i].name; i++) {
        const struct arg_spec *spec = &args->specs[i];
        if (is_needed(spec) && args->arg[i].count == 0)
            return err_set(err, ERR_INVALID_VALUE, "%s is missing", spec->name);
    }
    return true;
}

bool args_parse(const struct arg_spec *specs, const char *const *words, struct args *args,
                struct err *err)
{
    bool options_end = false;
    size_t place = 0;

    *args = (struct args){ .specs = specs };
    for (; *words; words++) {
        bool is_option = !options_end && (*words)[0] == '-' && !isdigit((unsigned char)(*words)[1]);
        if (is_option && strcmp(*words, "--") == 0)
            options_end = true;
        else if (!(is_option ? take_option(args, &words, err)
                             : take_place(args, place++, *words, err)))
            return false;
    }
    return check_missing(args, err);
}

/* ---- access ---- */

static const struct arg *find_arg(const struct args *args, const char *name)
{
    size_t i = 0;
    while (args->specs[i].name && strcmp(args->specs[i].name, name) != 0)
        i++;
    assert(args->specs[i].name);
    return &args->arg[i];
}

bool args_has(const struct args *args, const char *name)
{
    return find_arg(args, name)->count > 0;
}

const char *args_item(const struct args *args, const char *name, size_t i)
{
    const struct arg *arg = find_arg(args, name);
    return i < arg->count ? arg->item[i] : NULL;
}

const char *args_text(const struct args *args, const char *name)
{
    return args_item(args, name, 0);
}

int64_t args_int(const struct args *args, const char *name, int64_t fallback)
{
    const char *word = args_text(args, name);
    int64_t value;
    return word && parse_int(word, &value) ? value : fallback;
}

/* ---- help ---- */

static void add_label(const struct arg_spec *spec, struct buf *out)
{
    buf_add_str(out, spec->name);
    if (spec->value)
        buf_format(out, " %s", spec->value);
}

void args_usage(const struct arg_spec *specs, struct buf *out)
{
    for (const struct arg_spec *spec = specs; spec->name; spec++) {
        bool is_optional = !is_needed(spec);
        buf_add_str(out, is_optional ? " [" : " ");
        add_label(spec, out);
        buf_add_str(out, is_optional ? "]" : "");
        buf_add_str(out, spec->is_list ? "…" : "");
    }
}

void args_help(const struct arg_spec *specs, struct buf *out)
{
    enum { LABEL_MAX_BYTES = 128 };
    for (const struct arg_spec *spec = specs; spec->name; spec++) {
        scoped(buf_free) struct buf label = BUF(LABEL_MAX_BYTES);
        add_label(spec, &label);
        buf_format(out, "  %-22s %s\n", buf_str(&label), spec->help);
    }
}
