/* svc-utils/main.c - the daemon of the developer utilities: pure functions, no network, no state.
 */
#include "base/scoped.h"
#include "svc/svc.h"
#include "tools.h"

static const struct tool tools[] = {
    { "cron-explain", cron_explain },
    { "hash-generate", hash_generate },
    { "json-to-code", json_to_code },
    { "jwt-decode", jwt_decode },
    { "password-strength", password_strength },
    { "placeholder-image", placeholder_image },
    { "qr-generate", qr_generate },
    { "token-counter", token_counter, &token_knowledge },
};

int main(int argc, char **argv)
{
    return svc_main(argc, argv, "utils", tools, countof(tools));
}
