/* portal/credits/owed.c - see owed.h. */
#include "portal/credits/owed.h"

#include "base/mem.h"
#include "portal/base/numbers.h"
#include "text/json.h"

void owed_add(int64_t owed, cJSON *banners)
{
    char credits[NUMBER_BYTES];
    if (owed <= 0)
        return;
    cJSON *banner = json_item(banners);
    credits_write(owed, credits);
    scoped(mem_free) char *words =
        str_format("A refund or dispute deducted %s more than you had. Your account pays them "
                   "with the next credits that it gets.",
                   credits);
    json_str(banner, "text", words);
    json_bool(banner, "is_bad", true);
}

void withheld_add(int64_t withheld, const char *contact, cJSON *banners)
{
    char credits[NUMBER_BYTES];
    if (withheld <= 0)
        return;
    cJSON *banner = json_item(banners);
    credits_write(withheld, credits);
    scoped(mem_free) char *words =
        str_format("You get your sign-up grant of %s with your first purchase, because too many "
                   "accounts were created today from your email domain or network. You can "
                   "also ask %s.",
                   credits, contact);
    json_str(banner, "text", words);
    json_bool(banner, "is_bad", false);
}
