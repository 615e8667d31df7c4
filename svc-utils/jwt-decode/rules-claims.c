/* svc-utils/jwt-decode/rules-claims.c - the registered claims (RFC 7519 section 4.1). */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "rules.h"
#include "text/json.h"

static const double day = 86400;
static const double year = 365.25 * 86400;
static const double clock_skew = 300; /* seconds that clocks may differ */

/* ---- time ---- */

/* A time claim; NaN if it is missing or not a number. */
static double seconds_of(const cJSON *payload, const char *name)
{
    const cJSON *claim = json_get(payload, name);
    return json_is(claim, cJSON_Number) ? claim->valuedouble : NAN;
}

/* Now in milliseconds, from 1973 to 5138. */
static bool is_milliseconds(const cJSON *payload, const char *name)
{
    double seconds = seconds_of(payload, name);
    return seconds > 100e9 && seconds < 100e12;
}

static double usable_seconds_of(const cJSON *payload, const char *name)
{
    return is_milliseconds(payload, name) ? NAN : seconds_of(payload, name);
}

bool time_is_printable(double seconds)
{
    return seconds >= -62135596800.0 && seconds < 253402300800.0;
}

static void check_number(const cJSON *payload, const char *name, enum warning_id id,
                         struct warnings *warnings)
{
    const cJSON *claim = json_get(payload, name);
    if (claim && !json_is(claim, cJSON_Number))
        warnings_add(warnings, id, name);
    else if (claim && !time_is_printable(claim->valuedouble) && !is_milliseconds(payload, name))
        warnings_add(warnings, WARN_CLAIM_OUT_OF_RANGE, name);
}

/* One warning says it all: the other checks ignore such times. */
static void check_milliseconds(const cJSON *payload, struct warnings *warnings)
{
    static const char *const names[] = { "exp", "iat", "nbf" };
    for (size_t i = 0; i < countof(names); i++) {
        if (!is_milliseconds(payload, names[i]))
            continue;
        warnings_add_with(warnings, WARN_EXP_MILLISECONDS,
                          str_format("%s seems to be in milliseconds; times must be in seconds, so "
                                     "this one is millennia ahead",
                                     names[i]),
                          names[i]);
        return;
    }
}

/* Comparisons with a missing time (NaN) are false. */
static void check_expiry(double exp, double iat, double nbf, double at, struct warnings *warnings)
{
    if (at >= exp)
        warnings_add(warnings, WARN_EXPIRED, "exp");
    if (exp < iat)
        warnings_add(warnings, WARN_EXP_BEFORE_IAT, "exp");
    if (exp < nbf)
        warnings_add(warnings, WARN_EXP_BEFORE_NBF, "exp");
    if (exp > at + 10 * year)
        warnings_add(warnings, WARN_EXP_FAR_FUTURE, "exp");
}

static void check_lifetime(double lifetime, struct warnings *warnings)
{
    if (lifetime > 30 * day)
        warnings_add(warnings, WARN_LIFETIME_LONG, "exp");
    else if (lifetime > 7 * day)
        warnings_add_as(warnings, WARN_LIFETIME_LONG, SEVERITY_MEDIUM, "exp");
    else if (lifetime > day)
        warnings_add_as(warnings, WARN_LIFETIME_LONG, SEVERITY_LOW, "exp");
}

void rules_time(const cJSON *payload, const struct profile *profile, double at,
                struct warnings *warnings)
{
    double exp = usable_seconds_of(payload, "exp");
    double iat = usable_seconds_of(payload, "iat");
    double nbf = usable_seconds_of(payload, "nbf");
    bool needs_exp = !json_get(payload, "exp") && !(profile->without & PROFILE_EXP);

    check_number(payload, "exp", WARN_EXP_NOT_NUMBER, warnings);
    check_number(payload, "nbf", WARN_NBF_NOT_NUMBER, warnings);
    check_number(payload, "iat", WARN_IAT_NOT_NUMBER, warnings);
    check_milliseconds(payload, warnings);
    check_expiry(exp, iat, nbf, at, warnings);
    check_lifetime(exp - (!isnan(iat) ? iat : !isnan(nbf) ? nbf : at), warnings);
    if (needs_exp)
        warnings_add(warnings, WARN_EXP_MISSING, "exp");
    if (nbf > at)
        warnings_add(warnings, WARN_NOT_YET_VALID, "nbf");
    if (iat > at + clock_skew)
        warnings_add(warnings, WARN_IAT_FUTURE, "iat");
    if (!json_get(payload, "iat"))
        warnings_add(warnings, WARN_IAT_MISSING, "iat");
    if (needs_exp && iat < at - year)
        warnings_add(warnings, WARN_TOKEN_OLD, "iat");
}

/* ---- issuer, subject, audience, id ---- */

static const struct text_claim {
    const char *name;
    enum warning_id missing, not_string;
    unsigned claim;
} text_claims[] = {
    { "iss", WARN_ISS_MISSING, WARN_ISS_NOT_STRING, PROFILE_ISS },
    { "sub", WARN_SUB_MISSING, WARN_SUB_NOT_STRING, PROFILE_SUB },
    { "jti", WARN_JTI_MISSING, WARN_JTI_NOT_STRING, PROFILE_JTI },
};

static bool is_audience(const cJSON *aud)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, aud)
        if (!json_is(item, cJSON_String))
            return false;
    return json_is(aud, cJSON_String) || json_is(aud, cJSON_Array);
}

static bool is_everybody(const cJSON *aud)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, aud)
        if (text_is(json_text_of(item), "*"))
            return true;
    return text_is(json_text_of(aud), "*");
}

static bool is_empty(const cJSON *aud)
{
    return (json_is(aud, cJSON_Array) && !aud->child) ||
           (json_is(aud, cJSON_String) && json_text_of(aud).size == 0);
}

static void check_audience(const cJSON *payload, const struct profile *profile,
                           struct warnings *warnings)
{
    const cJSON *aud = json_get(payload, "aud");
    bool is_needed = !(profile->without & PROFILE_AUD) && !profile_has_other_audience(payload);
    if (!aud && is_needed)
        warnings_add(warnings, WARN_AUD_MISSING, "aud");
    if (!aud)
        return;
    if (is_empty(aud))
        warnings_add(warnings, WARN_AUD_EMPTY, "aud");
    if (!is_audience(aud))
        warnings_add(warnings, WARN_AUD_INVALID, "aud");
    if (is_everybody(aud))
        warnings_add(warnings, WARN_AUD_WILDCARD, "aud");
}

void rules_claims(const cJSON *payload, const struct profile *profile, struct warnings *warnings)
{
    for (size_t i = 0; i < countof(text_claims); i++) {
        const cJSON *claim = json_get(payload, text_claims[i].name);
        if (!claim && !(profile->without & text_claims[i].claim))
            warnings_add(warnings, text_claims[i].missing, text_claims[i].name);
        else if (claim && !json_is(claim, cJSON_String))
            warnings_add(warnings, text_claims[i].not_string, text_claims[i].name);
    }
    const char *iss = json_text(payload, "/iss");
    if (iss && strncasecmp(iss, "http://", 7) == 0)
        warnings_add(warnings, WARN_ISS_INSECURE, "iss");
    check_audience(payload, profile, warnings);
}
