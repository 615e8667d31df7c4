/* tests/unit/portal/session/browser.c - browsers by their User-Agent in 2026. */
#include "portal/session/browser.h"

#include <string.h>

#include "rows.h"

#define M     "Mozilla/5.0 "
#define KHTML " AppleWebKit/537.36 (KHTML, like Gecko) "

static const struct row {
    const char *name;
    const char *agent;
    const char *want;
} rows[] = {
    { "Firefox", M "(X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
      "Firefox on Linux" },
    { "Chrome", M "(Windows NT 10.0; Win64; x64)" KHTML "Chrome/142.0.0.0 Safari/537.36",
      "Chrome on Windows" },
    { "Edge",
      M "(Windows NT 10.0; Win64; x64)" KHTML "Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
      "Edge on Windows" },
    { "Opera",
      M "(Macintosh; Intel Mac OS X 10_15_7)" KHTML "Chrome/141.0.0.0 Safari/537.36 OPR/125.0.0.0",
      "Opera on Mac OS" },
    { "Safari",
      M "(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 "
        "Safari/605.1.15",
      "Safari on Mac OS" },
    { "Safari of a telephone",
      M "(iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/26.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone" },
    { "Chrome of a telephone",
      M "(Linux; Android 10; K)" KHTML "Chrome/142.0.0.0 Mobile Safari/537.36",
      "Chrome on Android" },
    { "Samsung",
      M "(Linux; Android 10; K)" KHTML "SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36",
      "Samsung Internet on Android" },
    { "curl", "curl/8.14.1", "curl" },
    { "another", "Lynx/2.9.0dev.12 libwww-FM/2.14SSL-MM/1.4.1",
      "Lynx/2.9.0dev.12 libwww-FM/2.14SSL-MM/1.4.1" },
    { "a long one is cut",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
    { "between characters",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa9\xc3\xa9",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
    { "nothing", "", "" },
    { "not told", NULL, "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    char name[BROWSER_BYTES];
    browser_name(row->agent, name);
    assert_string_equal(name, row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
