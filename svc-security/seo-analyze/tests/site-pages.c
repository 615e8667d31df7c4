/* svc-security/seo-analyze/tests/site-pages.c - compare pages, and read the field `pages`. */
#include "seo-analyze/site-pages.h"

#include <string.h>

#include "base/mem.h"
#include "seo-analyze/fetch-pages.h"
#include "text/json.h"
#include "tool.h"

#define EN "<link rel=alternate hreflang=en href=https://a.example/en>"
#define DE "<link rel=alternate hreflang=de href=https://de.a.example/>"
#define FR "<link rel=alternate hreflang=fr href=https://a.example/fr>"

/* Up to three pages: URL and markup of the head; NULL markup: not compared. */
static const struct row {
    const char *name;
    struct {
        const char *url;
        const char *head;
    } page[3];
    const char *want; /* comparison without its pages; with ' for " */
} rows[] = {
    { "different titles",
      { { "https://a.example/1", "<title>One</title>" },
        { "https://a.example/2", "<title>Two</title>" } },
      "[],[],0" },
    { "one title three times",
      { { "https://a.example/1", "<title>Shop</title>" },
        { "https://a.example/2", "<title> Shop </title>" },
        { "https://a.example/3", "<title>Shop</title>" } },
      "[{'title':'Shop','urls':['https://a.example/1','https://a.example/2',"
      "'https://a.example/3']}],[],0" },
    { "one page at two URLs",
      { { "https://a.example/1", "<title>Shop</title>" },
        { "https://a.example/1?a",
          "<title>Shop</title><link rel=canonical href=https://a.example/1>" } },
      "[],[],0" },
    { "titles in other case, empty titles",
      { { "https://a.example/1", "<title>Shop</title>" },
        { "https://a.example/2", "<title>shop</title>" },
        { "https://a.example/3", "<title></title>" } },
      "[],[],0" },
    { "no titles", { { "https://a.example/1", "" }, { "https://a.example/2", "" } }, "[],[],0" },
    { "versions that point to each other",
      { { "https://a.example/en", EN DE }, { "https://de.a.example/", DE EN } },
      "[],[],0" },
    { "a version that does not point back",
      { { "https://a.example/en", EN DE }, { "https://de.a.example/", DE } },
      "[],[{'from':'https://a.example/en','to':'https://de.a.example/','hreflang':'de'}],0" },
    { "by the canonical URL",
      { { "https://a.example/en?x", "<link rel=canonical href=https://a.example/en>" DE },
        { "https://de.a.example/", EN } },
      "[],[],0" },
    { "a version that is not compared",
      { { "https://a.example/en", EN DE FR }, { "https://de.a.example/", NULL } },
      "[],[],2" },
    { "an invalid version",
      { { "https://a.example/en", "<link rel=alternate hreflang=de href=/de>" },
        { "https://a.example/de", "" } },
      "[],[],0" },
};

/* The page as its own survey sees it. */
static void read_as_page(const char *url, const char *head, struct site_page *page)
{
    struct fetch fetch = { .hop_count = 1 };
    scoped(survey_free) struct survey survey = { 0 };
    struct target *target = &fetch.hop[0].target;
    page->url = str_dup(url);
    if (!head)
        return;
    assert_true(target_parse_url(text_of(url), target, NULL));
    fetch.hop[0].status = 200;
    survey_read(text_of(head), "text/html; charset=utf-8", target, &survey);
    const struct subject subject = { .page = &fetch, .survey = &survey };
    site_page_read(&subject, page);
    target_free(target);
}

static void check(void **state)
{
    const struct row *row = *state;
    struct site_page pages[3] = { 0 };
    scoped(json_free) cJSON *comparison = json_object();
    scoped(buf_free) struct buf got = BUF(4096);
    scoped(buf_free) struct buf want = BUF(4096);
    size_t count = 0;
    for (; count < 3 && row->page[count].url; count++)
        read_as_page(row->page[count].url, row->page[count].head, &pages[count]);
    site_pages_write(pages, count, comparison);
    assert_int_equal(json_size(json_get(comparison, "pages")), count);
    json_print(json_get(comparison, "duplicate_titles"), &got);
    buf_add_byte(&got, ',');
    json_print(json_get(comparison, "missing_returns"), &got);
    buf_add_byte(&got, ',');
    json_print(json_get(comparison, "unchecked_versions"), &got);
    add_quoted(&want, row->want);
    assert_string_equal(buf_str(&got), buf_str(&want));
    for (size_t i = 0; i < count; i++)
        site_page_free(&pages[i]);
}

static const struct refused_row {
    const char *name;
    const char *pages;
    const char *code; /* NULL: accepted */
} refused[] = {
    { "two pages, one on another host", "['https://a.example/1','https://de.a.example/2']", NULL },
    { "an invalid URL", "['https://a.example/1','ftp://a.example/2']", "invalid_url" },
    { "the page itself", "['https://a.example/1','https://a.example/#x']", "invalid_value" },
    { "a page twice", "['https://a.example/1','https://A.example/1']", "invalid_value" },
    { "another site", "['https://a.example/1','https://b.example/2']", "invalid_value" },
    { "an address", "['https://a.example/1','https://192.0.2.1/2']", "invalid_value" },
};

static struct public_suffixes *suffixes;

static void check_refused(void **state)
{
    const struct refused_row *row = *state;
    scoped(buf_free) struct buf text = BUF(4096);
    scoped(json_free) cJSON *list = NULL;
    scoped(target_free) struct target url = { 0 };
    scoped(other_pages_free) struct other_pages others = { 0 };
    struct err err = { 0 };
    add_quoted(&text, row->pages);
    assert_true(json_parse(buf_text(&text), JSON_DEPTH, &list, &err));
    assert_true(target_parse_url(TEXT("https://a.example/"), &url, &err));
    assert_int_equal(other_pages_read(list, suffixes, &url, &others, &err), !row->code);
    if (row->code)
        assert_string_equal(err_code(err.kind), row->code);
}

int main(void)
{
    struct err err = { 0 };
    if (!public_suffixes_load("", &suffixes, &err))
        return 1;
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(refused, check_refused);
    public_suffixes_free(&suffixes);
    return failed;
}
