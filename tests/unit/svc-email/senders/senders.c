/* tests/unit/svc-email/senders/senders.c - owners, providers and brands, with the list we ship. */
#include "senders/senders.h"

#include <string.h>

#include "rows.h"

static struct senders *senders;

static const struct row {
    const char *name;
    const char *host;
    const char *owner;
    bool is_free;
    const char *poses_as; /* NULL: nobody */
    const char *brand;    /* that owns it; NULL: none */
} rows[] = {
    { "a host", "mail.example.co.uk", "example.co.uk" },
    { "a single label", "localhost", "localhost" },
    { "a provider", "gmail.com", "gmail.com", true, NULL, "google" },
    { "below a provider", "mail.gmx.de", "gmx.de", true },
    { "a rare provider", "runbox.com", "runbox.com", true },
    { "ends like a provider", "notgmx.de", "notgmx.de" },
    { "a brand's own", "www.paypal.com", "paypal.com", false, NULL, "paypal" },
    { "a brand's own, another country", "amazon.de", "amazon.de", false, NULL, "amazon" },
    { "a brand as a label", "paypal.example.com", "example.com", false, "paypal" },
    { "a brand between hyphens", "secure-paypal-login.example", "secure-paypal-login.example",
      false, "paypal" },
    { "a brand in digits", "paypa1.example", "paypa1.example", false, "paypal" },
    { "a brand in pairs", "rnicrosoft.example", "rnicrosoft.example", false, "microsoft" },
    { "a brand inside a word", "paypalace.example", "paypalace.example" },
    { "a brand at the top is nobody's", "shop.apple", "shop.apple" },
    { "a brand on a cheap suffix", "amazon.top", "amazon.top", false, "amazon" },
};

static void check(void **state)
{
    const struct row *row = *state;
    const struct brand *posed = senders_brand_in_host(senders, row->host);
    const struct brand *brand = senders_brand_of(senders, row->host);
    assert_string_equal(senders_owner(senders, row->host), row->owner);
    assert_int_equal(senders_is_free(senders, row->host), row->is_free);
    assert_string_equal(posed ? posed->key : "", row->poses_as ? row->poses_as : "");
    assert_string_equal(brand ? brand->key : "", row->brand ? row->brand : "");
}

static const struct named {
    const char *name;
    const char *brand;
} named[] = {
    { "PayPal Service", "paypal" },
    { "Your Amazon order", "amazon" },
    { "Deutsche  Bank", NULL },
    { "Deutsche Bank AG", "deutschebank" },
    { "Papal", NULL },
    { "PayPalace", NULL },
    { "Chase Miller", NULL },
};

static void check_named(void **state)
{
    const struct named *row = *state;
    const struct brand *brand = senders_brand_in_name(senders, row->name);
    assert_string_equal(brand ? brand->key : "", row->brand ? row->brand : "");
}

int main(void)
{
    struct err err = { 0 };
    if (!senders_load(SOURCE_ROOT "/svc-email", "", &senders, &err))
        return 1;
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(named, check_named);
    failed += senders_load(SOURCE_ROOT "/nowhere", "", &senders, &err);
    senders_free(&senders);
    return failed;
}
