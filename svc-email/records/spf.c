/* svc-email/records/spf.c - the grammar of RFC 7208 section 12. */
#include "spf.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/num.h"

enum {
    VERSION_OCTETS = 6, /* v=spf1 */
    NAME_MAX_OCTETS = 253,
    LABELS_MAX = 128,
    VALUE_BYTES = 1024, /* of a macro: two domains fit */
    IPV4_BITS = 32,
    IPV6_BITS = 128,
};

/* What may follow a name. */
enum wants { NOTHING, A_SPEC, MAYBE_SPEC, MAYBE_SPEC_AND_CIDR, AN_IP4, AN_IP6, A_MACRO_STRING };

static const struct kind {
    const char *name;
    bool is_modifier;
    bool looks_up; /* RFC 7208 section 4.6.4 */
    enum wants wants;
} kinds[] = {
    [SPF_ALL] = { "all", false, false, NOTHING },
    [SPF_INCLUDE] = { "include", false, true, A_SPEC },
    [SPF_A] = { "a", false, true, MAYBE_SPEC_AND_CIDR },
    [SPF_MX] = { "mx", false, true, MAYBE_SPEC_AND_CIDR },
    [SPF_PTR] = { "ptr", false, true, MAYBE_SPEC },
    [SPF_IP4] = { "ip4", false, false, AN_IP4 },
    [SPF_IP6] = { "ip6", false, false, AN_IP6 },
    [SPF_EXISTS] = { "exists", false, true, A_SPEC },
    [SPF_REDIRECT] = { "redirect", true, true, A_SPEC },
    [SPF_EXP] = { "exp", true, false, A_SPEC },
    [SPF_UNKNOWN_MODIFIER] = { "modifier", true, false, A_MACRO_STRING },
};

const char *spf_kind_name(enum spf_kind kind)
{
    return kinds[kind].name;
}

bool spf_kind_looks_up(enum spf_kind kind)
{
    return kinds[kind].looks_up;
}

bool spf_is_record(struct text text)
{
    return text_begins_any_case(text, "v=spf1") &&
           (text.size == VERSION_OCTETS || text.bytes[VERSION_OCTETS] == ' ');
}

/* ---- macros: RFC 7208 section 7.1 ---- */

/* One macro in braces. */
struct macro {
    char letter;     /* lower case */
    unsigned labels; /* to keep from the right; 0: all */
    bool is_reversed;
    bool is_escaped;        /* in upper case: percent-encode what URLs do not allow */
    struct text delimiters; /* empty: a dot */
};

/* Read a macro after "%{", including its brace, off *rest. */
static bool take_macro(struct text *rest, struct macro *macro)
{
    size_t i = 0;
    unsigned labels = 0;
    *macro = (struct macro){ 0 };
    if (rest->size == 0 || !ascii_is_one_of(ascii_lower(rest->bytes[0]), "slodiphvcrt"))
        return false;
    macro->letter = ascii_lower(rest->bytes[i]);
    macro->is_escaped = macro->letter != rest->bytes[i++];
    size_t digits = i;
    for (; i < rest->size && ascii_is_digit(rest->bytes[i]); i++)
        labels = MIN(labels * 10 + (unsigned)(rest->bytes[i] - '0'), LABELS_MAX);
    if (i > digits && labels == 0)
        return false; /* "the DIGIT MUST be nonzero" */
    macro->labels = labels;
    if (i < rest->size && ascii_lower(rest->bytes[i]) == 'r') {
        macro->is_reversed = true;
        i++;
    }
    size_t begin = i;
    while (i < rest->size && ascii_is_one_of(rest->bytes[i], ".-+,/_="))
        i++;
    macro->delimiters = (struct text){ rest->bytes + begin, i - begin };
    if (i == rest->size || rest->bytes[i] != '}')
        return false;
    *rest = text_skip(*rest, i + 1);
    return true;
}

/* Take one macro-expand or macro-literal off *rest. *is_macro: it was a macro-expand. */
static const char *check_piece(struct text *rest, bool may_have_crt, bool *is_macro)
{
    struct macro macro;
    char c = rest->bytes[0];
    *is_macro = c == '%';
    if (c != '%') {
        *rest = text_skip(*rest, 1);
        return c > ' ' && c <= '~' ? NULL : "has a character that is not allowed in a domain";
    }
    char next = rest->size > 1 ? rest->bytes[1] : '\0';
    *rest = text_skip(*rest, MIN(rest->size, 2));
    if (next == '%' || next == '_' || next == '-')
        return NULL;
    if (next != '{' || !take_macro(rest, &macro))
        return "has a % that does not begin a macro";
    if (!may_have_crt && strchr("crt", macro.letter))
        return "has a macro that is only allowed in explanations";
    return NULL;
}

static const char *check_macro_string(struct text text, bool may_have_crt, bool *ends_in_macro)
{
    const char *why = NULL;
    *ends_in_macro = false;
    while (!why && text.size > 0)
        why = check_piece(&text, may_have_crt, ends_in_macro);
    return why;
}

/* toplabel: letters, digits and inner hyphens, and not only digits. */
static bool is_top_label(struct text label)
{
    return label.size > 0 && ascii_is_alnum(label.bytes[0]) &&
           ascii_is_alnum(label.bytes[label.size - 1]) && text_is_made_of(label, ASCII_ALNUM "-") &&
           !text_is_digits(label);
}

static bool ends_in_top_label(struct text spec)
{
    if (spec.bytes[spec.size - 1] == '.')
        spec.size--;
    size_t dot = spec.size;
    while (dot > 0 && spec.bytes[dot - 1] != '.')
        dot--;
    return dot > 0 && is_top_label(text_skip(spec, dot));
}

/* The macros c, r and t are for the text of an explanation, not for the name in exp (RFC 7208
 * section 7.2). */
static const char *check_spec(struct text spec)
{
    bool ends_in_macro;
    if (spec.size == 0)
        return "has no domain";
    const char *why = check_macro_string(spec, false, &ends_in_macro);
    if (!why && !ends_in_macro && !ends_in_top_label(spec))
        return "does not end in a domain";
    return why;
}

/* ---- networks ---- */

/* Digits without a leading zero, up to max. */
static bool read_prefix(struct text digits, unsigned max, unsigned *prefix)
{
    int64_t value;
    if (!num_parse(digits, max, &value) || (digits.size > 1 && digits.bytes[0] == '0'))
        return false;
    *prefix = (unsigned)value;
    return true;
}

/* Cut "<slashes><digits>" off the end of *text. Returns true with *has false if not found. */
static bool cut_prefix(struct text *text, const char *slashes, unsigned max, bool *has,
                       unsigned *prefix)
{
    size_t end = text->size;
    size_t count = strlen(slashes);
    while (end > 0 && ascii_is_digit(text->bytes[end - 1]))
        end--;
    *has = end >= count && memcmp(text->bytes + end - count, slashes, count) == 0;
    if (!*has)
        return true;
    struct text digits = text_skip(*text, end);
    text->size = end - count;
    return read_prefix(digits, max, prefix);
}

/* dual-cidr-length: [ /N ] [ //M ] at the end. */
static const char *cut_dual_cidr(struct text *text, struct spf_term *term)
{
    bool has;
    if (!cut_prefix(text, "//", IPV6_BITS, &has, &term->prefix6))
        return "has an IPv6 prefix that is not 0 to 128";
    if (!cut_prefix(text, "/", IPV4_BITS, &has, &term->prefix4))
        return "has an IPv4 prefix that is not 0 to 32";
    return NULL;
}

/* Four numbers without leading zeros; address_parse() is as strict. */
static const char *read_ip4(struct text value, struct spf_term *term)
{
    bool has;
    if (!cut_prefix(&value, "/", IPV4_BITS, &has, &term->prefix4))
        return "has a prefix that is not 0 to 32";
    if (value.size == 0 || memchr(value.bytes, ':', value.size) ||
        !address_parse(value, &term->address))
        return "is not an IPv4 network";
    return NULL;
}

static const char *read_ip6(struct text value, struct spf_term *term)
{
    bool has;
    if (!cut_prefix(&value, "/", IPV6_BITS, &has, &term->prefix6))
        return "has a prefix that is not 0 to 128";
    if (value.size == 0 || !memchr(value.bytes, ':', value.size) ||
        !address_parse(value, &term->address))
        return "is not an IPv6 network";
    return NULL;
}

/* ---- terms ---- */

/* The value after the name: it begins with :, = or /, or is empty. */
static const char *read_value(struct text rest, struct spf_term *term)
{
    const struct kind *kind = &kinds[term->kind];
    bool has_value = rest.size > 0 && (rest.bytes[0] == ':' || rest.bytes[0] == '=');
    bool ends_in_macro;
    const char *why;
    term->spec = has_value ? text_skip(rest, 1) : (struct text){ 0 };
    switch (kind->wants) {
    case NOTHING:
        return rest.size > 0 ? "must not have a value" : NULL;
    case A_MACRO_STRING:
        return check_macro_string(term->spec, true, &ends_in_macro);
    case AN_IP4:
        return read_ip4(term->spec, term);
    case AN_IP6:
        return read_ip6(term->spec, term);
    case MAYBE_SPEC_AND_CIDR:
        why = cut_dual_cidr(has_value ? &term->spec : &rest, term);
        if (why)
            return why;
        break;
    case MAYBE_SPEC:
    case A_SPEC:
        break;
    }
    if (!has_value && kind->wants != A_SPEC)
        return rest.size > 0 ? "has text after its name" : NULL;
    return check_spec(term->spec);
}

static bool find_kind(struct text name, bool is_modifier, enum spf_kind *found)
{
    for (unsigned i = 0; i < SPF_UNKNOWN_MODIFIER; i++)
        if (kinds[i].is_modifier == is_modifier && text_is_any_case(name, kinds[i].name)) {
            *found = (enum spf_kind)i;
            return true;
        }
    return false;
}

/* Bytes of the name at the beginning: letters, then also digits, -, _ and dots. */
static size_t name_size(struct text term)
{
    size_t size = 0;
    if (term.size == 0 || !ascii_is_letter(term.bytes[0]))
        return 0;
    while (size < term.size &&
           (ascii_is_alnum(term.bytes[size]) || ascii_is_one_of(term.bytes[size], "-_.")))
        size++;
    return size;
}

static const char *read_term(struct text text, struct spf_term *term)
{
    struct text rest = text;
    *term = (struct spf_term){
        .text = text, .qualifier = '+', .prefix4 = IPV4_BITS, .prefix6 = IPV6_BITS
    };
    bool has_qualifier = ascii_is_one_of(text.bytes[0], "+-~?");
    if (has_qualifier) {
        term->qualifier = text.bytes[0];
        rest = text_skip(rest, 1);
    }
    struct text name = { rest.bytes, name_size(rest) };
    if (name.size == 0)
        return "is neither a mechanism nor a modifier";
    rest = text_skip(rest, name.size);
    bool is_modifier = rest.size > 0 && rest.bytes[0] == '=' && !has_qualifier;
    if (!find_kind(name, is_modifier, &term->kind)) {
        if (!is_modifier)
            return "is not a known mechanism";
        term->kind = SPF_UNKNOWN_MODIFIER;
    }
    if (!is_modifier && rest.size > 0 && rest.bytes[0] == '=')
        return "is a mechanism, which needs : instead of =";
    return read_value(rest, term);
}

static bool has_kind(const struct spf_record *record, enum spf_kind kind)
{
    for (size_t i = 0; i < record->count; i++)
        if (record->term[i].kind == kind)
            return true;
    return false;
}

static void add_term(struct spf_record *record, const struct spf_term *term)
{
    if ((record->count & (record->count - 1)) == 0) /* full at each power of two */
        record->term = mem_resize(record->term, MAX(record->count, 1) * 2 * sizeof(*term));
    record->term[record->count++] = *term;
}

/* What editors put into a pasted record, named so that it is found: it looks like ASCII. */
static const char *find_typing_fault(struct text term)
{
    for (size_t i = 0; i < term.size; i++) {
        if (term.bytes[i] & 0x80)
            return "has a character outside ASCII, such as a typographic quotation mark";
        if (term.bytes[i] == '"' || term.bytes[i] == '`')
            return "has a quotation mark";
    }
    return NULL;
}

static const char *read_next(struct text text, struct spf_record *record)
{
    struct spf_term term;
    const char *why = read_term(text, &term);
    const char *fault = why ? find_typing_fault(text) : NULL;
    if (fault)
        return fault;
    if (!why && (term.kind == SPF_REDIRECT || term.kind == SPF_EXP) && has_kind(record, term.kind))
        return "appears twice";
    if (!why)
        add_term(record, &term);
    return why;
}

bool spf_read(struct text text, struct spf_record *record, struct spf_error *error)
{
    struct text rest = text_skip(text, VERSION_OCTETS);
    *record = (struct spf_record){ 0 };
    while (rest.size > 0) {
        struct text term = text_cut(&rest, ' ');
        const char *why = term.size > 0 ? read_next(term, record) : NULL;
        if (!why)
            continue;
        *error = (struct spf_error){ (size_t)(term.bytes - text.bytes), term, why };
        spf_record_free(record);
        return false;
    }
    return true;
}

void spf_record_free(struct spf_record *record)
{
    mem_free(&record->term);
    record->count = 0;
}

/* ---- expansion ---- */

static size_t split_labels(const char *text, struct text delimiters, struct text parts[LABELS_MAX])
{
    size_t count = 0;
    const char *begin = text;
    for (;; text++) {
        if (*text && !memchr(delimiters.bytes, *text, delimiters.size))
            continue;
        if (count < LABELS_MAX)
            parts[count++] = (struct text){ begin, (size_t)(text - begin) };
        if (!*text)
            return count;
        begin = text + 1;
    }
}

/* Section 7.3: unreserved characters of RFC 3986 stay. */
static void add_part(const struct macro *macro, struct text part, struct buf *name)
{
    for (size_t i = 0; i < part.size; i++)
        if (macro->is_escaped && !ascii_is_alnum(part.bytes[i]) &&
            !ascii_is_one_of(part.bytes[i], "-._~"))
            buf_format(name, "%%%02X", (unsigned char)part.bytes[i]);
        else
            buf_add_byte(name, part.bytes[i]);
}

static void add_transformed(const struct macro *macro, const char *value, struct buf *name)
{
    struct text parts[LABELS_MAX];
    struct text delimiters = macro->delimiters.size > 0 ? macro->delimiters : TEXT(".");
    size_t count = split_labels(value, delimiters, parts);
    size_t kept = macro->labels > 0 ? MIN(macro->labels, count) : count;
    for (size_t i = count - kept; i < count; i++) {
        struct text part = parts[macro->is_reversed ? count - 1 - i : i];
        if (i > count - kept)
            buf_add_byte(name, '.');
        add_part(macro, part, name);
    }
}

/* %{i}: an IPv4 address with dots, or 32 hexadecimal digits with dots between. */
static void add_address(const struct in6_addr *address, struct buf *value)
{
    const uint8_t *octet = address->s6_addr;
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        buf_format(value, "%u.%u.%u.%u", octet[12], octet[13], octet[14], octet[15]);
        return;
    }
    for (size_t i = 0; i < sizeof(address->s6_addr); i++)
        buf_format(value, "%s%x.%x", i > 0 ? "." : "", octet[i] >> 4, octet[i] & 0xf);
}

/* Add the value of a macro. False if it depends on an email: sender is NULL, or the macro is c, r
 * or t. */
static bool add_value(char letter, const char *domain, const struct spf_sender *sender,
                      struct buf *value)
{
    if (letter == 'd') {
        buf_add_str(value, domain);
        return true;
    }
    if (!sender || ascii_is_one_of(letter, "crt"))
        return false;
    if (letter == 's')
        buf_format(value, "postmaster@%s", sender->domain);
    else if (letter == 'l')
        buf_add_str(value, "postmaster");
    else if (letter == 'i')
        add_address(&sender->address, value);
    else if (letter == 'v')
        buf_add_str(value, IN6_IS_ADDR_V4MAPPED(&sender->address) ? "in-addr" : "ip6");
    else
        buf_add_str(value, letter == 'p' ? sender->validated : sender->domain);
    return true;
}

/* Append in presentation form, with escapes where needed. */
static void add_literal(struct buf *name, char c)
{
    if (c == '\\' || c == '"')
        buf_add_byte(name, '\\');
    if (c == ' ')
        buf_add_str(name, "\\032");
    else
        buf_add_byte(name, ascii_lower(c));
}

static bool expand_macro(struct text *rest, const char *domain, const struct spf_sender *sender,
                         struct buf *name)
{
    scoped(buf_free) struct buf value = BUF(VALUE_BYTES);
    struct macro macro;
    char next = rest->bytes[1];
    *rest = text_skip(*rest, 2);
    if (next == '%') {
        add_literal(name, '%');
    } else if (next == '_') {
        add_literal(name, ' ');
    } else if (next == '-') {
        buf_add_str(name, "%20");
    } else {
        if (!take_macro(rest, &macro) || !add_value(macro.letter, domain, sender, &value))
            return false;
        add_transformed(&macro, buf_str(&value), name);
    }
    return true;
}

static void drop_labels(struct buf *name)
{
    while (name->size > NAME_MAX_OCTETS) {
        const char *dot = memchr(name->bytes, '.', name->size - 1);
        if (!dot)
            return;
        size_t size = (size_t)(dot + 1 - name->bytes);
        memmove(name->bytes, dot + 1, name->size - size + 1);
        name->size -= size;
    }
}

bool spf_expand(struct text spec, const char *domain, const struct spf_sender *sender,
                struct buf *name)
{
    while (spec.size > 0) {
        if (spec.bytes[0] == '%') {
            if (!expand_macro(&spec, domain, sender, name))
                return false;
            continue;
        }
        add_literal(name, spec.bytes[0]);
        spec = text_skip(spec, 1);
    }
    drop_labels(name);
    if (name->size > 1 && name->bytes[name->size - 1] == '.')
        name->bytes[--name->size] = '\0';
    return true;
}
