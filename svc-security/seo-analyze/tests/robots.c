/* svc-security/seo-analyze/tests/robots.c - robots.txt, sitemaps, words. */
#include "seo-analyze/survey/robots.h"

#include <string.h>
#include <zlib.h>

#include "base/os/clock.h"
#include "rows.h"
#include "seo-analyze/survey/sitemap.h"
#include "seo-analyze/survey/survey.h"

/* ---- matching ---- */

/* clang-format off */
static const struct row {
    const char *name;
    const char *file;
    const char *agent;
    const char *path;
    bool want;
} rows[] = {
    { "an empty file", "", "*", "/a", true },
    { "disallow all", "User-agent: *\nDisallow: /", "*", "/a", false },
    { "an empty disallow", "User-agent: *\nDisallow:", "*", "/a", true },
    { "a prefix", "User-agent: *\nDisallow: /a", "*", "/abc", false },
    { "another prefix", "User-agent: *\nDisallow: /a", "*", "/ba", true },
    { "case of a path", "User-agent: *\nDisallow: /A", "*", "/a", true },
    { "the longest wins", "User-agent: *\nDisallow: /a/\nAllow: /a/b", "*", "/a/bc", true },
    { "the longest wins, whatever the order", "User-agent: *\nAllow: /a/b\nDisallow: /a/\nDisallow: /a/bcd", "*", "/a/bcd", false },
    { "allow wins ties", "User-agent: *\nAllow: /a\nDisallow: /a", "*", "/a", true },
    { "allow wins ties the other way round", "User-agent: *\nDisallow: /a\nAllow: /a", "*", "/a", true },
    { "a star", "User-agent: *\nDisallow: /*.pdf", "*", "/a/b.pdf?c", false },
    { "a star at first", "User-agent: *\nDisallow: *b", "*", "/a/b", false },
    { "a star for nothing", "User-agent: *\nDisallow: /a*b", "*", "/ab", false },
    { "stars", "User-agent: *\nDisallow: /*a*b*c", "*", "/xaxbxc", false },
    { "stars that do not fit", "User-agent: *\nDisallow: /*a*b*c", "*", "/xaxcxb", true },
    { "a dollar", "User-agent: *\nDisallow: /a$", "*", "/a", false },
    { "a dollar before more", "User-agent: *\nDisallow: /a$", "*", "/ab", true },
    { "star and dollar", "User-agent: *\nDisallow: /*.php$", "*", "/a.php.php", false },
    { "star and dollar before more", "User-agent: *\nDisallow: /*.php$", "*", "/a.php5", true },
    { "star and dollar at the end", "User-agent: *\nDisallow: /a*$", "*", "/abc", false },
    { "parts may not overlap", "User-agent: *\nDisallow: /ab*ba$", "*", "/aba", true },
    { "escapes of the same", "User-agent: *\nDisallow: /%7Ea/%c3%a4", "*", "/~a/%C3%A4", false },
    { "letters beyond ASCII", "User-agent: *\nDisallow: /\xC3\xA4", "*", "/%C3%A4", false },
    { "an escaped slash is not a slash", "User-agent: *\nDisallow: /a%2Fb", "*", "/a/b", true },
    { "a star that is meant", "User-agent: *\nDisallow: /a%2ab", "*", "/a*bc", false },
    { "a star that is meant and not there", "User-agent: *\nDisallow: /a%2Ab", "*", "/axb", true },
    { "a star in the path", "User-agent: *\nDisallow: /a%2Ab", "*", "/a%2ab", false },
    { "a dollar that is meant", "User-agent: *\nDisallow: /a%24", "*", "/a$b", false },
    { "a dollar that is meant and not there", "User-agent: *\nDisallow: /a%24", "*", "/a", true },
    { "a dollar before its end is one", "User-agent: *\nDisallow: /a$b", "*", "/a%24bc", false },
    { "a dollar of the path at the end", "User-agent: *\nDisallow: /a$", "*", "/a$", true },
    { "what no address holds", "User-agent: *\nDisallow: /a<\"b", "*", "/a%3c%22b", false },
    { "the same the other way round", "User-agent: *\nDisallow: /a%7Bb", "*", "/a{b", false },
    { "the own group", "User-agent: *\nDisallow: /\n\nUser-agent: GoogleBot/2.1\nDisallow: /x", "Googlebot", "/a", true },
    { "the group of all", "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:", "bingbot", "/a", false },
    { "two groups of one agent", "User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /\nUser-agent: a\nDisallow: /y", "a", "/y", false },
    { "one group of two agents", "User-agent: a\nUser-agent: b\nDisallow: /x", "a", "/x", false },
    { "other lines between agents", "User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x", "a", "/x", false },
    { "a longer token is another", "User-agent: Googlebot-News\nDisallow: /", "Googlebot", "/", true },
    { "comments and blanks", " USER-AGENT : * # all\n\t disallow\t:\t/a # b", "*", "/a", false },
    { "line ends and a mark", "\xEF\xBB\xBFUser-agent: *\r\nDisallow: /a\rDisallow: /b", "*", "/b", false },
    { "rules without a user-agent", "Disallow: /\nUser-agent: *\nAllow: /", "*", "/a", true },
    { "an empty path is /", "User-agent: *\nDisallow: /$", "*", "/", false },
};
/* clang-format on */

static void check(void **state)
{
    const struct row *row = *state;
    scoped(robots_free) struct robots robots;
    robots_read(text_of(row->file), &robots);
    assert_int_equal(robots_allow(&robots, row->agent, row->path), row->want);
}

/* ---- lines ---- */

static const struct line {
    const char *name; /* the line */
    const char *want; /* NULL: the line is valid */
} lines[] = {
    { "Disallow: /", NULL },
    { "Crawl-delay: 10", NULL },
    { "Clean-param: a /b", NULL },
    { "Host: a.example", NULL },
    { "Content-Signal: search=yes", NULL },
    { "Noindex: /", NULL },
    { "Sitemap: https://a.example/s.xml", NULL },
    { "sitemap: /s.xml", "has a sitemap that is not an absolute URL" },
    { "Disallow /", "has no colon" },
    { "<html>", "has no colon" },
    { "Disalow: /", "has an unknown key" },
    { "User-agent:", "has an empty user-agent" },
    { "Allow: a", "has a path that does not begin with / or *" },
    { "Allow: /a$b", "has a $ before its end" },
};

static void check_line(void **state)
{
    const struct line *row = *state;
    scoped(mem_free) char *file = str_format("User-agent: *\n\n%s\nAllow: /", row->name);
    scoped(robots_free) struct robots robots;
    robots_read(text_of(file), &robots);
    assert_int_equal(robots.line_count, 3);
    assert_int_equal(robots.bad_count, row->want != NULL);
    assert_int_equal(robots.bad_line, row->want ? 3 : 0);
    if (row->want)
        assert_string_equal(robots.bad_cause, row->want);
}

static void rules_of_nobody_are_bad(void **state)
{
    (void)state;
    scoped(robots_free) struct robots robots;
    robots_read(TEXT("Allow: /\nSitemap: http://a\nSitemap: http://b"), &robots);
    assert_string_equal(robots.bad_cause, "is a rule before the first user-agent");
    assert_int_equal(robots.bad_line, 1);
    assert_true(text_is(robots.sitemap, "http://a"));
}

/* A file of maximum size whose rules must all be tried. */
static void hostile_files(void **state)
{
    static const char *const parts[] = { "Disallow: /a*b*c*d$\n", "Disallow: /*aaaaaaaab\n",
                                         "User-agent: a\n", "a\n", "Allow:/\n" };
    (void)state;
    scoped(mem_free) char *path = mem_new(2001);
    memset(path, 'a', 2000);
    path[0] = '/';
    for (size_t i = 0; i < countof(parts); i++) {
        scoped(buf_free) struct buf file = BUF(600 << 10);
        scoped(robots_free) struct robots robots;
        buf_add_str(&file, "User-agent: *\n");
        while (file.size < ROBOTS_BYTES + 1000)
            buf_add_str(&file, parts[i]);
        int64_t start_ms = clock_ms();
        robots_read(buf_text(&file), &robots);
        assert_true(robots_allow(&robots, "*", path));
        assert_true(clock_ms() - start_ms < 10000);
    }
}

/* ---- sitemaps ---- */

static const struct map {
    const char *name;
    const char *text;
    bool is_cut;
    bool is_xml, is_known;
    size_t urls;
} maps[] = {
    { "one URL", "<urlset><url><loc>a</loc></url></urlset>", false, true, true, 1 },
    { "with a prefix", "<s:urlset xmlns:s='x'><s:url/><s:url/></s:urlset>", false, true, true, 2 },
    { "what lies deeper does not count", "<urlset><x><url/></x></urlset>", false, true, true, 0 },
    { "cut by us", "<urlset><url/><url><lo", true, true, true, 2 },
    { "truncated without is_cut", "<urlset><url/><url><lo", false, false, true, 2 },
    { "no XML", "{}", false, false, false, 0 },
    { "nothing", "", false, false, false, 0 },
    { "entities that grow",
      "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'><!ENTITY "
      "c "
      "'&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'><!ENTITY e "
      "'&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'><!ENTITY g "
      "'&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;'><!ENTITY h "
      "'&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;'>]><urlset>&h;</urlset>",
      false, false, true, 0 },
};

static void check_map(void **state)
{
    const struct map *row = *state;
    struct sitemap sitemap;
    sitemap_read(text_of(row->text), row->is_cut, &sitemap);
    assert_int_equal(sitemap.is_xml, row->is_xml);
    assert_int_equal(sitemap.is_known, row->is_known);
    assert_int_equal(sitemap.urls, row->urls);
}

static struct text gzip(const char *text, unsigned char *out, size_t size)
{
    z_stream stream = { .next_in = (unsigned char *)(uintptr_t)text,
                        .avail_in = (unsigned)strlen(text),
                        .next_out = out,
                        .avail_out = (unsigned)size };
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return (struct text){ (const char *)out, size - stream.avail_out };
}

static void compressed_sitemaps(void **state)
{
    (void)state;
    const struct text begin = TEXT("<urlset>");
    unsigned char out[100000];
    scoped(mem_free) char *blanks = mem_new((20 << 20) + 1);
    struct sitemap sitemap;

    struct text small = gzip("<urlset><url/></urlset>", out, sizeof(out));
    sitemap_read(small, false, &sitemap);
    assert_true(sitemap.is_xml && sitemap.urls == 1);

    memset(blanks, ' ', 20 << 20);
    memcpy(blanks, begin.bytes, begin.size);
    struct text bomb = gzip(blanks, out, sizeof(out));
    sitemap_read(bomb, false, &sitemap); /* read up to the limit */
    assert_true(sitemap.is_xml && sitemap.is_known);
}

/* ---- words ---- */

static const struct counted {
    const char *name;
    size_t words;
} counted[] = {
    { "", 0 },
    { "a", 1 },
    { " a  b\tc\n", 3 },
    { "don't stop - now!", 3 },
    { "3.5 % of 10", 3 },
    { "Größe über", 2 },
    { "Привет, мир", 2 },
    { "東京都", 2 },
    { "a 東京 b", 3 },
    { "… — •", 0 },
    { "한국어 단어", 2 },
};

static void check_counted(void **state)
{
    const struct counted *row = *state;
    assert_int_equal(survey_count_words(text_of(row->name)), row->words);
}

static const struct generic {
    const char *name;
    bool want;
} generics[] = {
    { "click here", true },
    { " Click  HERE >>", true },
    { "Read more about prices", false },
    { "", false },
    { "→", false },
    { "LÄS MER", true },
    { "더 보기", true },
    { "weiter…", true },
    { "Klicke hier", true },
    { "haz click aquí", true },
    { "Cliquer ici !", true },
    { "여기를 클릭하세요", true },
    { "herein", false },
};

static void check_generic(void **state)
{
    const struct generic *row = *state;
    assert_int_equal(survey_is_generic(text_of(row->name)), row->want);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(rules_of_nobody_are_bad),
        cmocka_unit_test(hostile_files),
        cmocka_unit_test(compressed_sitemaps),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(lines, check_line) + RUN_ROWS(maps, check_map) +
           RUN_ROWS(counted, check_counted) + RUN_ROWS(generics, check_generic) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
