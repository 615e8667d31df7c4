/* svc-email/email-header-analyzer/authentication-signed.c - read tag lists: DKIM signatures, and
 * the three ARC fields of each forwarder. Verifies nothing. */
#include "email-header-analyzer/authentication-reading.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "records/tags.h"

/* ---- tags ---- */

/* Remove all blanks: folding may be anywhere in a value. */
static struct tags read_tags(struct text value, struct arena *arena)
{
    struct tags tags;
    char *plain = arena_get(arena, value.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < value.size; i++)
        if (!ascii_is_space(value.bytes[i]))
            plain[size++] = value.bytes[i];
    tags_read((struct text){ plain, size }, &tags);
    return tags;
}

static bool are_valid(const struct tags *tags)
{
    return !tags->is_malformed && !tags->has_repeats && !tags->has_empty_part;
}

/* Empty without the tag. */
static struct text value_of(const struct tags *tags, const char *name)
{
    const struct text *value = tags_get(tags, name);
    return value ? *value : (struct text){ "", 0 };
}

static int64_t number_of(const struct tags *tags, const char *name)
{
    int64_t value;
    return num_parse(value_of(tags, name), INT64_C(1) << 52, &value) ? value : -1;
}

static const char *keep_tag(const struct tags *tags, const char *name, struct arena *arena)
{
    struct text value = value_of(tags, name);
    return value.size > 0 ? auth_keep(arena, value) : NULL;
}

void auth_read_signature(struct text value, struct arena *arena, struct dkim_signature *out)
{
    struct tags tags = read_tags(value, arena);
    struct text names = value_of(&tags, "h");
    *out = (struct dkim_signature){
        .domain = keep_tag(&tags, "d", arena),
        .selector = keep_tag(&tags, "s", arena),
        .algorithm = keep_tag(&tags, "a", arena),
        .canonicalization = keep_tag(&tags, "c", arena),
        .identity = keep_tag(&tags, "i", arena),
        .timestamp = number_of(&tags, "t"),
        .expires = number_of(&tags, "x"),
        .body_length = number_of(&tags, "l"),
    };
    while (names.size > 0 && out->signed_count < AUTH_LIST_MAX)
        out->signed_header[out->signed_count++] = auth_keep_lower(arena, text_cut(&names, ':'));
    out->valid_syntax = are_valid(&tags) && text_is(value_of(&tags, "v"), "1") && out->domain &&
                        out->selector && out->algorithm && out->signed_count > 0 &&
                        value_of(&tags, "b").size > 0 && value_of(&tags, "bh").size > 0;
}

/* ---- ARC ---- */

enum arc_part { ARC_SEAL, ARC_SIGNATURE, ARC_RESULTS, ARC_PARTS };

static const char *const arc_names[ARC_PARTS] = { "ARC-Seal", "ARC-Message-Signature",
                                                  "ARC-Authentication-Results" };

static int arc_instance(struct text value)
{
    const char *end = value.size > 0 ? memchr(value.bytes, ';', value.size) : NULL;
    struct text tag = { value.bytes, end ? (size_t)(end - value.bytes) : value.size };
    struct text name = text_trim(text_cut(&tag, '='));
    int64_t instance;
    return text_is_any_case(name, "i") && num_parse(text_trim(tag), AUTH_ARC_MAX, &instance)
               ? (int)instance
               : 0;
}

static int seal_instance(struct text value, struct arena *arena)
{
    struct tags tags = read_tags(value, arena);
    int64_t instance = number_of(&tags, "i");
    return instance >= 1 && instance <= AUTH_ARC_MAX ? (int)instance : 0;
}

void auth_read_arc(const struct fields *fields, struct arena *arena, struct authentication *out)
{
    int count[AUTH_ARC_MAX + 1][ARC_PARTS] = { 0 };
    const char *cv[AUTH_ARC_MAX + 1] = { NULL };
    bool is_broken = false;

    for (size_t i = 0; i < fields->count; i++)
        for (int part = 0; part < ARC_PARTS; part++) {
            struct text value = fields->at[i].value;
            if (!text_is_any_case(fields->at[i].name, arc_names[part]))
                continue;
            int instance = part == ARC_RESULTS ? arc_instance(value) : seal_instance(value, arena);
            out->has_arc = true;
            is_broken |= instance == 0;
            count[instance][part]++;
            out->arc_instances = MAX(out->arc_instances, instance);
            if (part == ARC_SEAL) {
                struct tags tags = read_tags(value, arena);
                cv[instance] = keep_tag(&tags, "cv", arena);
            }
            if (part == ARC_RESULTS && instance > 0)
                auth_read_results(value, i, instance, arena, out);
        }
    for (int i = 1; i <= out->arc_instances; i++) {
        for (int part = 0; part < ARC_PARTS; part++)
            is_broken |= count[i][part] != 1;
        is_broken |= !cv[i] || strcasecmp(cv[i], i == 1 ? "none" : "pass") != 0;
    }
    out->arc_is_valid = out->arc_instances > 0 && !is_broken;
    out->arc_last_cv = out->arc_instances > 0 ? cv[out->arc_instances] : NULL;
}
