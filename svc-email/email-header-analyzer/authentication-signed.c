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

struct arc {
    int count[AUTH_ARC_MAX + 1][ARC_PARTS];
    const char *cv[AUTH_ARC_MAX + 1];
    int above[ARC_PARTS]; /* instance of the last field of the kind; 0: none yet */
    bool has_invalid_number;
    bool is_unordered; /* an older field is above a newer one, although each is put on top */
};

static void read_arc_field(const struct field *field, size_t index, enum arc_part part,
                           struct arc *arc, struct arena *arena, struct authentication *out)
{
    int instance =
        part == ARC_RESULTS ? arc_instance(field->value) : seal_instance(field->value, arena);
    arc->has_invalid_number |= instance == 0;
    arc->is_unordered |= arc->above[part] > 0 && instance > arc->above[part];
    arc->above[part] = instance;
    arc->count[instance][part]++;
    out->arc_instances = MAX(out->arc_instances, instance);
    if (part == ARC_SEAL) {
        struct tags tags = read_tags(field->value, arena);
        arc->cv[instance] = keep_tag(&tags, "cv", arena);
    }
    if (part == ARC_RESULTS && instance > 0)
        auth_read_results(field->value, index, instance, arena, out);
}

/* RFC 8617 section 5.2, without cryptography. */
static const char *arc_fault(const struct arc *arc, int instances)
{
    if (arc->has_invalid_number)
        return "has a field without a valid instance number";
    for (int i = 1; i <= instances; i++)
        for (int part = 0; part < ARC_PARTS; part++)
            if (arc->count[i][part] != 1)
                return arc->count[i][part] == 0 ? "is incomplete" : "has a field twice";
    if (instances > 0 && arc->cv[instances] && strcasecmp(arc->cv[instances], "fail") == 0)
        return "reports a failure";
    for (int i = 1; i <= instances; i++)
        if (!arc->cv[i] || strcasecmp(arc->cv[i], i == 1 ? "none" : "pass") != 0)
            return i == 1 ? "begins with a seal whose cv is not none"
                          : "has a later seal whose cv is not pass";
    return arc->is_unordered ? "has an older field above a newer one" : NULL;
}

void auth_read_arc(const struct fields *fields, struct arena *arena, struct authentication *out)
{
    struct arc arc = { 0 };
    for (size_t i = 0; i < fields->count; i++)
        for (int part = 0; part < ARC_PARTS; part++)
            if (text_is_any_case(fields->at[i].name, arc_names[part]))
                read_arc_field(&fields->at[i], i, (enum arc_part)part, &arc, arena, out);
    out->arc_fault = arc_fault(&arc, out->arc_instances);
    out->arc_is_valid = out->arc_instances > 0 && !out->arc_fault;
    out->arc_last_cv = out->arc_instances > 0 ? arc.cv[out->arc_instances] : NULL;
}
