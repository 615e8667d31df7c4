/* svc-utils/jwt-decode/rules-sensitive.c - secrets, personal data and rights in a payload. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/table.h"
#include "base/text.h"
#include "rules.h"
#include "text/json.h"

enum {
    LEVELS = 4,
    NAME_BYTES = 128, /* longer names are cut */
    PATH_BYTES = 256,
};

/* ---- names ---- */

/* Anywhere in a name, without case and separators. */
static const char *const secret_parts[] = {
    "password",    "passwd",       "secret",    "apikey",         "privatekey",
    "accesstoken", "refreshtoken", "sessionid", "socialsecurity", "creditcard",
    "cardnumber",  "bankaccount",  "otpseed",
};

/* Only as a whole word of a name, so that "shipping" does not match. */
static const char *const secret_words[] = { "pwd", "ssn", "cvv", "cvc", "iban", "pin", "mfa" };

/* OpenID Connect Core section 5.1, with common spellings. */
static const char *const personal_names[] = {
    "email", "phone_number", "phone",       "birthdate",  "birthday",  "address",
    "name",  "given_name",   "family_name", "first_name", "last_name",
};

static void simplify_name(const char *name, char out[static NAME_BYTES])
{
    size_t size = 0;
    for (; *name && size < NAME_BYTES - 1; name++)
        if (*name != '-' && *name != '_')
            out[size++] = (char)tolower((unsigned char)*name);
    out[size] = '\0';
}

/*
 * The length of the first word of a name. A word ends at a separator, before a capital letter after
 * a lowercase one ("userPin"), or before the last of several capitals ("HTTPHost").
 */
static size_t word_length(const char *name)
{
    size_t i = 1;
    while (isalnum((unsigned char)name[i])) {
        bool is_upper = isupper((unsigned char)name[i]);
        if (is_upper && !isupper((unsigned char)name[i - 1]))
            break;
        if (is_upper && islower((unsigned char)name[i + 1]))
            break;
        i++;
    }
    return i;
}

static bool is_secret_word(const char *word, size_t length)
{
    for (size_t i = 0; i < countof(secret_words); i++)
        if (strlen(secret_words[i]) == length && strncasecmp(secret_words[i], word, length) == 0)
            return true;
    return false;
}

static bool has_secret_word(const char *name)
{
    while (*name) {
        if (!isalnum((unsigned char)*name)) {
            name++;
            continue;
        }
        size_t length = word_length(name);
        if (is_secret_word(name, length))
            return true;
        name += length;
    }
    return false;
}

static bool is_secret_name(const char *name)
{
    char simple[NAME_BYTES];
    simplify_name(name, simple);
    for (size_t i = 0; i < countof(secret_parts); i++)
        if (strstr(simple, secret_parts[i]))
            return true;
    return has_secret_word(name);
}

static bool is_personal_name(const char *name)
{
    for (size_t i = 0; i < countof(personal_names); i++)
        if (strcasecmp(personal_names[i], name) == 0)
            return true;
    return false;
}

/* ---- values ---- */

/* The check digit of card numbers (ISO/IEC 7812-1). */
static bool is_card_number(struct text text)
{
    int sum = 0;
    size_t count = 0;
    for (size_t i = text.size; i > 0; i--) {
        if (!isdigit((unsigned char)text.bytes[i - 1]))
            return false;
        int digit = text.bytes[i - 1] - '0';
        if (count++ % 2 == 1)
            digit = digit < 5 ? 2 * digit : 2 * digit - 9;
        sum += digit;
    }
    return count >= 13 && count <= 19 && sum % 10 == 0;
}

/*
 * Does the text begin with the pattern? In a pattern, 9 is a digit, # is a digit or a capital
 * letter, and all other characters match themselves.
 */
static bool matches_pattern(struct text text, const char *pattern)
{
    size_t length = strlen(pattern);
    if (text.size < length)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        bool ok = pattern[i] == '9'   ? isdigit(byte)
                  : pattern[i] == '#' ? isdigit(byte) || isupper(byte)
                                      : byte == (unsigned char)pattern[i];
        if (!ok)
            return false;
    }
    return true;
}

static bool is_social_security_number(struct text text)
{
    return text.size == 11 && matches_pattern(text, "999-99-9999");
}

static bool is_private_key(struct text text)
{
    const char *begin = memmem(text.bytes, text.size, "-----BEGIN ", 11);
    return begin && memmem(begin, text.size - (size_t)(begin - text.bytes), "PRIVATE KEY-----", 16);
}

/* Key formats of well-known services. */
static const char *const key_patterns[] = {
    "AKIA################",
    "ASIA################",
    "ghp_",
    "gho_",
    "sk_live_",
    "xoxa-",
    "xoxb-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
};

static bool is_secret_value(struct text text)
{
    for (size_t i = 0; i < countof(key_patterns); i++)
        if (matches_pattern(text, key_patterns[i]))
            return true;
    return is_private_key(text) || is_card_number(text) || is_social_security_number(text);
}

/* ---- rights ---- */

static bool is_mighty_role(struct text role)
{
    return text_has_any_case(role, "admin") || text_has_any_case(role, "root") ||
           text_has_any_case(role, "superuser");
}

static bool is_wide_scope(struct text scope)
{
    return text_has(scope, "*");
}

static const struct privilege {
    const char *name;
    bool (*is_wide)(
        struct text text); /* tests the value or an item of it; NULL: the value must be true */
} privileges[] = {
    { "admin", NULL },           { "is_admin", NULL },        { "isAdmin", NULL },
    { "role", is_mighty_role },  { "roles", is_mighty_role }, { "scope", is_wide_scope },
    { "scopes", is_wide_scope }, { "scp", is_wide_scope },
};

static bool is_privilege(const cJSON *claim)
{
    const struct privilege *row = TABLE_FIND(privileges, claim->string);
    const cJSON *item;
    if (!row)
        return false;
    if (!row->is_wide)
        return json_is(claim, cJSON_True);
    cJSON_ArrayForEach(item, claim)
        if (row->is_wide(json_text_of(item)))
            return true;
    return row->is_wide(json_text_of(claim));
}

/* ---- the traversal ---- */

/* "user.password"; long paths are cut. */
static void extend_path(const char *path, const char *name, char out[static PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%.*s%s%.*s", PATH_BYTES / 2 - 1, path, *path ? "." : "",
             PATH_BYTES / 2 - 1, name);
    text_repair(out);
}

static void check_name(const cJSON *member, const char *path, struct warnings *warnings)
{
    if (is_secret_name(member->string))
        warnings_add(warnings, WARN_SENSITIVE_CLAIM, path);
    if (is_personal_name(member->string))
        warnings_add(warnings, WARN_PERSONAL_DATA, path);
    if (is_privilege(member))
        warnings_add(warnings, WARN_PRIVILEGE_CLAIM, path);
}

static void check_text(const cJSON *node, const char *path, struct warnings *warnings)
{
    if (!json_is(node, cJSON_String))
        return;
    if (is_secret_value(json_text_of(node)))
        warnings_add(warnings, WARN_SENSITIVE_VALUE, path);
    if (token_is_likely(json_text_of(node)))
        warnings_add(warnings, WARN_EMBEDDED_TOKEN, path);
}

static void check_below(const cJSON *node, const char *path, int level, struct warnings *warnings)
{
    const cJSON *child;
    char here[PATH_BYTES];
    cJSON_ArrayForEach(child, node) {
        extend_path(path, child->string ? child->string : "", here);
        if (child->string)
            check_name(child, here, warnings);
        check_text(child, child->string ? here : path, warnings);
        if (level < LEVELS)
            check_below(child, child->string ? here : path, level + 1, warnings);
    }
}

void rules_sensitive(const cJSON *payload, struct warnings *warnings)
{
    check_below(payload, "", 1, warnings);
}
