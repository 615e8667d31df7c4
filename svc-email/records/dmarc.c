/* svc-email/records/dmarc.c - DMARC records. */
#include "dmarc.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "tags.h"

enum { LOCAL_PART_MAX = 64, DOMAIN_MAX = 253, PCT_ALL = 100 };

/* ---- values ---- */

static const char *const policy_names[] = {
    [DMARC_P_NONE] = "none",
    [DMARC_P_QUARANTINE] = "quarantine",
    [DMARC_P_REJECT] = "reject",
};

const char *dmarc_policy_name(enum dmarc_policy policy)
{
    return policy_names[policy];
}

static enum dmarc_policy policy_of(struct text value)
{
    for (unsigned i = DMARC_P_NONE; i < countof(policy_names); i++)
        if (text_is_any_case(value, policy_names[i]))
            return (enum dmarc_policy)i;
    return DMARC_NO_POLICY;
}

/* Form of a tag's value. LETTERS is a colon-separated list of letters. */
enum form { ANY, POLICY, NUMBER, LETTER, LETTERS, AFRF };

static const struct row {
    const char *name;
    const char *ordinary; /* its default */
    enum form form;
    const char *letters; /* lower case */
    int64_t most;        /* maximum of a number */
} rows[DMARC_TAGS] = {
    [DMARC_TAG_V] = { "v", NULL, ANY },
    [DMARC_TAG_P] = { "p", NULL, POLICY },
    [DMARC_TAG_SP] = { "sp", NULL, POLICY },
    [DMARC_TAG_NP] = { "np", NULL, POLICY },
    [DMARC_TAG_ADKIM] = { "adkim", "r", LETTER, "rs" },
    [DMARC_TAG_ASPF] = { "aspf", "r", LETTER, "rs" },
    [DMARC_TAG_FO] = { "fo", "0", LETTERS, "01ds" },
    [DMARC_TAG_RF] = { "rf", "afrf", AFRF },
    [DMARC_TAG_RI] = { "ri", "86400", NUMBER, NULL, UINT32_MAX },
    [DMARC_TAG_PCT] = { "pct", "100", NUMBER, NULL, PCT_ALL },
    [DMARC_TAG_RUA] = { "rua", NULL, ANY },
    [DMARC_TAG_RUF] = { "ruf", NULL, ANY },
    [DMARC_TAG_PSD] = { "psd", "u", LETTER, "ynu" },
    [DMARC_TAG_T] = { "t", "n", LETTER, "yn" },
};

static bool is_letter(struct text value, const char *letters)
{
    return value.size == 1 && strchr(letters, ascii_lower(value.bytes[0])) != NULL;
}

static bool is_right(const struct row *row, struct text value)
{
    int64_t number;
    bool ok = value.size > 0;
    if (row->form == POLICY)
        return policy_of(value) != DMARC_NO_POLICY;
    if (row->form == NUMBER)
        return num_parse(value, row->most, &number);
    if (row->form == LETTER)
        return is_letter(value, row->letters);
    while (row->form != ANY && ok && value.size > 0) {
        struct text word = text_trim(text_cut(&value, ':'));
        ok = row->form == AFRF ? text_is_any_case(word, "afrf") : is_letter(word, row->letters);
    }
    return ok;
}

const char *dmarc_tag_name(enum dmarc_tag tag)
{
    return rows[tag].name;
}

const char *dmarc_tag_default(enum dmarc_tag tag)
{
    return rows[tag].ordinary;
}

bool dmarc_is_record(struct text text)
{
    return text.size > 0 && text.bytes[0] == 'v' && tags_begin(text, "DMARC1");
}

/* ---- report URIs: RFC 7489 section 6.2 ---- */

/* Cut off "!10m": digits and an optional letter. */
static bool cut_size(struct text *uri)
{
    for (size_t i = uri->size; i > 0; i--) {
        if (uri->bytes[i - 1] != '!')
            continue;
        struct text size = text_skip(*uri, i);
        if (size.size > 0 && strchr("kmgt", ascii_lower(size.bytes[size.size - 1])))
            size.size--;
        if (!text_is_digits(size))
            return false;
        uri->size = i - 1;
        return true;
    }
    return false;
}

static bool is_local_part(struct text local)
{
    return local.size > 0 && local.size <= LOCAL_PART_MAX && local.bytes[0] != '.' &&
           local.bytes[local.size - 1] != '.' &&
           text_is_made_of(local, ASCII_ALNUM "!#$%&'*+-/=?^_`{|}~.");
}

static bool is_domain(struct text domain)
{
    bool has_dot = false;
    if (domain.size == 0 || domain.size > DOMAIN_MAX)
        return false;
    while (domain.size > 0) {
        struct text label = text_cut(&domain, '.');
        has_dot |= domain.size > 0;
        if (label.size == 0 || label.size > 63)
            return false;
        for (size_t i = 0; i < label.size; i++)
            if (!ascii_is_alnum(label.bytes[i]) && !strchr("-_", label.bytes[i]))
                return false;
    }
    return has_dot;
}

/* Returns false if it is not an address. */
static bool read_domain(struct text address, struct text *domain)
{
    *domain = address;
    struct text local = text_cut(domain, '@');
    return is_local_part(local) && is_domain(*domain);
}

static void read_address(struct dmarc_uri *uri)
{
    struct text rest = text_skip(uri->uri, strlen("mailto:"));
    struct text address = text_cut(&rest, '?');
    struct text domain;
    if (!read_domain(address, &domain))
        return;
    uri->address = address;
    uri->domain = domain;
}

static void read_uris(struct text value, struct dmarc_uris *uris)
{
    while (value.size > 0) {
        struct text text = text_trim(text_cut(&value, ','));
        if (text.size == 0)
            continue;
        if (uris->count == DMARC_URIS_MAX) {
            uris->left_out++;
            continue;
        }
        struct dmarc_uri *uri = &uris->item[uris->count++];
        *uri = (struct dmarc_uri){ .has_size = cut_size(&text) };
        uri->uri = text;
        uri->is_mailto = text_begins_any_case(text, "mailto:");
        struct text domain;
        uri->lacks_mailto = !uri->is_mailto && read_domain(text, &domain);
        if (uri->is_mailto)
            read_address(uri);
    }
}

static bool has_address(const struct dmarc_uris *uris)
{
    for (size_t i = 0; i < uris->count; i++)
        if (uris->item[i].address.size > 0)
            return true;
    return false;
}

/* ---- the record ---- */

static void read_tag(const struct tag *tag, size_t place, struct dmarc *dmarc)
{
    for (unsigned i = 0; i < DMARC_TAGS; i++) {
        if (!text_is_any_case(tag->name, rows[i].name))
            continue;
        if (dmarc->is_there[i]) {
            dmarc->is_void = true;
            dmarc->error = "has a tag twice";
        }
        dmarc->is_there[i] = true;
        dmarc->value[i] = tag->value;
        dmarc->is_bad[i] = !is_right(&rows[i], tag->value);
        if (i == DMARC_TAG_P)
            dmarc->has_p_late = place != 1;
        return;
    }
    dmarc->has_unknown_tag = true;
}

static bool is_good(const struct dmarc *dmarc, enum dmarc_tag tag)
{
    return dmarc->is_there[tag] && !dmarc->is_bad[tag];
}

static enum dmarc_policy read_policy(const struct dmarc *dmarc, enum dmarc_tag tag)
{
    return is_good(dmarc, tag) ? policy_of(dmarc->value[tag]) : DMARC_NO_POLICY;
}

static void read_values(struct dmarc *dmarc)
{
    int64_t pct = PCT_ALL;
    if (is_good(dmarc, DMARC_TAG_PCT))
        num_parse(dmarc->value[DMARC_TAG_PCT], PCT_ALL, &pct);
    dmarc->pct = (unsigned)pct;
    dmarc->p = read_policy(dmarc, DMARC_TAG_P);
    dmarc->sp = read_policy(dmarc, DMARC_TAG_SP);
    dmarc->np = read_policy(dmarc, DMARC_TAG_NP);
    dmarc->psd =
        is_good(dmarc, DMARC_TAG_PSD) ? ascii_lower(dmarc->value[DMARC_TAG_PSD].bytes[0]) : 'u';
    dmarc->is_testing =
        is_good(dmarc, DMARC_TAG_T) && text_is_any_case(dmarc->value[DMARC_TAG_T], "y");
    read_uris(dmarc->value[DMARC_TAG_RUA], &dmarc->rua);
    read_uris(dmarc->value[DMARC_TAG_RUF], &dmarc->ruf);
}

void dmarc_read(struct text text, struct dmarc *dmarc)
{
    struct tags tags;
    *dmarc = (struct dmarc){ 0 };
    tags_read(text, &tags);
    for (size_t i = 0; i < tags.count; i++)
        read_tag(&tags.tag[i], i, dmarc);
    read_values(dmarc);
    dmarc->has_malformed_part = tags.is_malformed;
    if (dmarc->is_void || dmarc->p != DMARC_NO_POLICY)
        return;
    dmarc->has_no_policy = has_address(&dmarc->rua);
    if (dmarc->has_no_policy) {
        dmarc->p = DMARC_P_NONE;
    } else {
        dmarc->is_void = true;
        dmarc->error = "has no valid p";
    }
}

enum dmarc_policy dmarc_policy_for(const struct dmarc *dmarc, enum dmarc_subject subject)
{
    if (subject == DMARC_OF_MISSING_SUBDOMAIN && dmarc->np != DMARC_NO_POLICY)
        return dmarc->np;
    if (subject != DMARC_OF_ITSELF && dmarc->sp != DMARC_NO_POLICY)
        return dmarc->sp;
    return dmarc->p;
}

enum dmarc_policy dmarc_lowered(const struct dmarc *dmarc, enum dmarc_policy policy)
{
    return dmarc->is_testing && policy > DMARC_P_NONE ? policy - 1 : policy;
}
