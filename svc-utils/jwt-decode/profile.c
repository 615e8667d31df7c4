/* svc-utils/jwt-decode/profile.c - types by their RFCs, issuers by their documentation. */
#include "profile.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "text/json.h"

static const struct profile profiles[] = {
    /* RFC 9449 section 4.2 */
    { "dpop+jwt",
      PROFILE_EXP | PROFILE_ISS | PROFILE_SUB | PROFILE_AUD,
      { "jti", "htm", "htu", "iat" },
      true },
    /* RFC 8417 section 2.2 */
    { "secevent+jwt", PROFILE_EXP | PROFILE_SUB, { "iss", "iat", "jti", "events" }, false },
    /* OpenID Connect Back-Channel Logout 1.0 section 2.4 */
    { "logout+jwt", PROFILE_SUB, { "iss", "aud", "iat", "jti", "events" }, false },
    /* RFC 9901 sections 4 and 4.3, and SD-JWT VC */
    { "kb+jwt",
      PROFILE_EXP | PROFILE_ISS | PROFILE_SUB | PROFILE_JTI,
      { "iat", "aud", "nonce", "sd_hash" },
      false },
    { "dc+sd-jwt", PROFILE_EXP | PROFILE_SUB | PROFILE_AUD | PROFILE_JTI, { "vct" }, false },
    { "vc+sd-jwt", PROFILE_EXP | PROFILE_SUB | PROFILE_AUD | PROFILE_JTI, { "vct" }, false },
    { "sd+jwt", PROFILE_EXP | PROFILE_AUD | PROFILE_JTI, { NULL }, false },
    /* Token Status List section 5.1 */
    { "statuslist+jwt",
      PROFILE_EXP | PROFILE_AUD | PROFILE_JTI,
      { "sub", "iat", "status_list" },
      false },
    { NULL, 0, { NULL }, false },
};

const struct profile *profile_of(const cJSON *header)
{
    const char *typ = json_text(header, "/typ");
    const struct profile *profile = profiles;
    if (typ && strncasecmp(typ, "application/", 12) == 0)
        typ += 12;
    while (profile->typ && (!typ || strcasecmp(typ, profile->typ) != 0))
        profile++;
    return profile;
}

/*
 * Issuers, by the documentation of each, read on 2026-11-27: Amazon Cognito "Verifying JSON web
 * tokens", Auth0 "Access tokens", Keycloak "Server administration", Microsoft Entra "Access token
 * claims reference", Google "OpenID Connect".
 */
static const struct issuer {
    const char *begin;  /* of iss */
    const char *within; /* iss; NULL: not needed */
    const char *note;
} issuers[] = {
    { "https://cognito-idp.", ".amazonaws.com/",
      "Amazon Cognito: check token_use; an access token has client_id and usually no aud; the keys "
      "are at /.well-known/jwks.json below iss" },
    { "https://issuer-cognito-idp.", ".amazonaws.com/",
      "Amazon Cognito: check token_use; an access token has client_id and usually no aud; the keys "
      "are at /.well-known/jwks.json below iss" },
    { "https://", ".auth0.com/",
      "Auth0: iss ends with a slash, so compare it exactly; aud of an access token must include "
      "your API's identifier; the client is in azp, or in client_id with the RFC 9068 profile" },
    { "http", "/realms/",
      "Keycloak: check aud; if it has only account, add an audience mapper for your service; roles "
      "are in realm_access and resource_access" },
    { "https://login.microsoftonline.com/", NULL,
      "Microsoft Entra: identify users by oid and tid, not by email or upn; a token for Microsoft "
      "Graph, with nonce in its header, can only be verified by Graph" },
    { "https://sts.windows.net/", NULL,
      "Microsoft Entra, version 1.0: identify users by oid and tid, not by email or upn; a token "
      "for "
      "Microsoft Graph, with nonce in its header, can only be verified by Graph" },
    { "https://accounts.google.com", NULL,
      "Google: aud of a user's token must be your client ID; identify users by sub, not by email, "
      "and members of an organization by hd" },
    { "accounts.google.com", NULL,
      "Google: iss is valid with and without https://; aud must be your client ID; identify users "
      "by sub, not by email" },
};

static void note_issuer(const cJSON *payload, struct warnings *warnings)
{
    struct text iss = json_text_of(json_get(payload, "iss"));
    for (size_t i = 0; i < countof(issuers); i++) {
        if (!text_begins(iss, issuers[i].begin) ||
            (issuers[i].within && !text_has(iss, issuers[i].within)))
            continue;
        warnings_add_with(warnings, WARN_ISSUER_NOTE, str_dup(issuers[i].note), "iss");
        return;
    }
}

bool profile_has_other_audience(const cJSON *payload)
{
    return json_get(payload, "client_id") &&
           text_is(json_text_of(json_get(payload, "token_use")), "access");
}

void rules_profile(const struct token *token, const struct profile *profile,
                   struct warnings *warnings)
{
    for (size_t i = 0; i < PROFILE_REQUIRED_MAX && profile->required[i]; i++)
        if (!json_get(token->payload, profile->required[i]))
            warnings_add_with(
                warnings, WARN_TYPE_CLAIM_MISSING,
                str_format("A token of type %s must have %s", profile->typ, profile->required[i]),
                profile->required[i]);
    if (profile->has_own_key && !json_get(token->header, "jwk"))
        warnings_add_with(
            warnings, WARN_TYPE_CLAIM_MISSING,
            str_format("A token of type %s must have jwk in its header", profile->typ), "jwk");
    note_issuer(token->payload, warnings);
}
