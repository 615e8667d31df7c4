/* svc-security/seo-analyze/tests/factors/factors.c - when each factor passes, warns, fails, and
 * when it does not apply. */
#include <stdio.h>

#include "probe/grade.h"
#include "seo-analyze/tests/subject.h"

#define URLSET   "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
#define LD(json) "<script type='application/ld+json'>" json "</script>"
#define SCHEMA   "{\"@context\":\"https://schema.org\",\"@type\":"
#define X10(x)   x x x x x x x x x x
#define X100(x)  X10(X10(x))

/* clang-format off */
static const struct row {
    const char *name; /* the factor and the case */
    const char *body;
    const char *want; /* status and content */
    struct around around;
} rows[] = {
    { "http_status: 200", "", "pass 200", { .status = 200 } },
    { "http_status: 204", "", "warn 204", { .status = 204 } },
    { "http_status: 304", "", "warn 304", { .status = 304 } },
    { "http_status: 404", "", "fail 404", { .status = 404 } },
    { "http_status: 503", "", "fail 503", { .status = 503 } },

    { "indexable: nothing forbids", "<meta name=robots content='index, follow, max-snippet:20'>", "pass yes", { 0 } },
    { "indexable: noindex", "<meta name=ROBOTS content='follow, NoIndex'>", "fail noindex in a robots meta tag", { 0 } },
    { "indexable: none", "<meta name=robots content=none>", "fail none in a robots meta tag", { 0 } },
    { "indexable: past", "<meta name=robots content='unavailable_after: 2026-09-01'>", "fail an unavailable_after date in the past in a robots meta tag", { 0 } },
    { "indexable: past, RFC 822", "<meta name=robots content='noarchive, unavailable_after: Tue, 01 Sep 2026 10:00:00 GMT'>", "fail an unavailable_after date in the past in a robots meta tag", { 0 } },
    { "indexable: past, RFC 850", "<meta name=robots content='unavailable_after: Tuesday, 01-Sep-26 10:00:00 UTC'>", "fail an unavailable_after date in the past in a robots meta tag", { 0 } },
    { "indexable: not yet past", "<meta name=robots content='unavailable_after: 25 Dec 2026 15:00:00 PST'>", "pass yes", { 0 } },
    { "indexable: an invalid date", "<meta name=robots content='unavailable_after: soon'>", "pass yes", { 0 } },
    { "indexable: one crawler", "<meta name=googlebot content=noindex>", "warn noindex in a robots meta tag, for some crawlers", { 0 } },
    { "indexable: all crawlers, one by one", "<meta name=googlebot content=noindex><meta name=bingbot content=noindex><meta name=duckduckbot content=none>", "fail noindex in a robots meta tag", { 0 } },
    { "indexable: header", "", "fail noindex in X-Robots-Tag", { .headers = "content-type: text/html\nx-robots-tag: noarchive, noindex" } },
    { "indexable: header for one", "", "warn noindex in X-Robots-Tag, for some crawlers", { .headers = "content-type: text/html\nx-robots-tag: BingBot: noindex" } },
    { "indexable: header for another", "", "pass yes", { .headers = "content-type: text/html\nx-robots-tag: otherbot: noindex\nx-robots-tag: max-snippet: 20" } },
    { "indexable: header on a PDF", "", "fail noindex in X-Robots-Tag", { .headers = "content-type: application/pdf\nx-robots-tag: noindex" } },
    { "indexable: second header, with a date", "", "fail an unavailable_after date in the past in X-Robots-Tag", { .headers = "content-type: text/html\nx-robots-tag: nofollow\nx-robots-tag: unavailable_after: 25 Jun 2010 15:00:00 PST" } },
    { "indexable: disallowed", "", "fail disallow in robots.txt", { .robots = "User-agent: *\nDisallow: /p/" } },
    { "indexable: disallowed for one", "", "warn disallow in robots.txt, for some crawlers", { .robots = "User-agent: Googlebot\nDisallow: /p/" } },
    { "indexable: disallowed elsewhere", "", "pass yes", { .robots = "User-agent: *\nDisallow: /q/" } },
    { "indexable: robots.txt is broken", "", "warn robots.txt cannot be fetched", { .robots_status = 503 } },
    { "indexable: a meta in a template", "<template><meta name=robots content=noindex></template>", "pass yes", { 0 } },

    { "robots_txt: valid", "", "pass 2 lines", { .robots = "User-agent: *\n# a\n\nDisallow:" } },
    { "robots_txt: none", "", "info status 404", { 0 } },
    { "robots_txt: empty", "", "info empty", { .robots = "\n# nothing\n" } },
    { "robots_txt: 500", "", "fail status 500", { .robots_status = 500 } },
    { "robots_txt: bad line", "", "fail line 2 has no colon; invalid lines: 1 of 2", { .robots = "User-agent: *\nDisallow /\n" } },

    { "sitemap: good", "", "pass 2 URLs", { .sitemap = URLSET "<url><loc>a</loc></url><url/></urlset>" } },
    { "sitemap: index", "", "pass 1 sitemaps", { .sitemap = "<?xml version='1.0'?><sitemapindex><sitemap><loc>a</loc></sitemap></sitemapindex>" } },
    { "sitemap: none", "", "fail none, status 404", { 0 } },
    { "sitemap: a page instead", "", "fail none", { .sitemap = "<!DOCTYPE html><html><p>Not found</html>" } },
    { "sitemap: declared, none", "", "warn declared, status 404", { .robots = "Sitemap: https://a.example/s.xml" } },
    { "sitemap: declared, no XML", "", "warn declared, but not an XML sitemap", { .robots = "Sitemap: https://a.example/s.xml", .sitemap = "<urlset><url>" } },
    { "sitemap: other XML", "", "fail none", { .sitemap = "<rss></rss>" } },

    { "canonical: this page", "<link rel=canonical href=https://A.example:443/p/page>", "pass https://a.example/p/page", { 0 } },
    { "canonical: none", "", "warn none", { 0 } },
    { "canonical: another host", "<link rel=canonical href=https://b.example/p/page>", "warn another host: https://b.example/p/page", { 0 } },
    { "canonical: another page", "<link rel=canonical href=https://a.example/q>", "warn another page: https://a.example/q", { 0 } },
    { "canonical: relative", "<link rel=canonical href=/p/page>", "fail not absolute: /p/page", { 0 } },
    { "canonical: invalid", "<link rel=canonical href=https://u@a.example/>", "fail invalid: https://u@a.example/", { 0 } },
    { "canonical: several", "<link rel=canonical href=https://a.example/p/page><link rel=canonical href=https://a.example/q>", "fail 2 different, first https://a.example/p/page", { 0 } },
    { "canonical: twice the same", "<link rel=canonical href=https://a.example/p/page><link rel='x CANONICAL' href=https://a.example/p/page>", "pass https://a.example/p/page", { 0 } },
    { "canonical: the root", "<link rel=canonical href=https://a.example/>", "fail the site's root: https://a.example/", { 0 } },
    { "canonical: header", "", "pass https://a.example/p/page", { .headers = "content-type: text/html\nlink: <https://a.example/s.css>; rel=preload, <https://a.example/p/page>; rel=\"canonical\"" } },
    { "canonical: a word of a header's title", "", "warn none", { .headers = "content-type: text/html\nlink: <https://b.example/>; rel=prev; title=\"a \\\", <https://b.example/>; rel=canonical; a=\\\"\"" } },
    { "canonical: second of a header", "", "pass https://a.example/p/page", { .headers = "content-type: text/html\nlink: </s>; title=\"a, b\", ,<https://a.example/p/page> ; REL = 'x' ; rel=y, <https://a.example/p/page>; rel=\"shortlink Canonical\"" } },
    { "canonical: an invalid header", "", "warn none", { .headers = "content-type: text/html\nlink: https://b.example/; rel=canonical\nlink: <https://b.example/; rel=canonical" } },
    { "canonical: in the body", "<p>a</p><link rel=canonical href=https://b.example/>", "warn none", { 0 } },

    { "https: verified", "", "pass https", { 0 } },
    { "https: not verified", "", "warn https with an untrusted certificate", { .is_unverified = true } },
    { "https: http", "", "fail http", { .url = "http://a.example/" } },

    { "redirect_chain: none", "", "pass 0", { 0 } },
    { "redirect_chain: one", "", "pass 1", { .redirects = 1 } },
    { "redirect_chain: three", "", "warn 3", { .redirects = 3 } },
    { "redirect_chain: four", "", "fail 4", { .redirects = 4 } },

    { "url_structure: short", "", "pass 31 characters: https://a.example/a-b/c?d=1&e=2", { .url = "https://a.example/a-b/c?d=1&e=2" } },
    { "url_structure: capitals", "", "warn 19 characters: https://a.example/A", { .url = "https://a.example/A" } },
    { "url_structure: capitals of an escape", "", "pass 23 characters: https://a.example/%C3%A", { .url = "https://a.example/%C3%A" } },
    { "url_structure: underscore", "", "warn 21 characters: https://a.example/a_b", { .url = "https://a.example/a_b" } },
    { "url_structure: three parameters", "", "warn 30 characters: https://a.example/?a=1&b=2&c=3", { .url = "https://a.example/?a=1&b=2&c=3" } },
    { "url_structure: long", "", "warn ~ ^101 characters", { .url = "https://a.example/" X10("abcdefgh") "abc" } },
    { "url_structure: too long", "", "fail ~ ^201 characters", { .url = "https://a.example/" X10("abcdefghabcdefghij") "abc" } },
    { "url_structure: two breaches", "", "fail 21 characters: https://a.example/A_b", { .url = "https://a.example/A_b" } },
    { "url_structure: session", "", "fail 30 characters: https://a.example/?PHPSESSID=1", { .url = "https://a.example/?PHPSESSID=1" } },
    { "url_structure: no session", "", "pass 28 characters: https://a.example/?wayside=1", { .url = "https://a.example/?wayside=1" } },

    { "hreflang: none", "", "info none", { 0 } },
    { "hreflang: valid", "<link rel=alternate hreflang=en href=https://a.example/p/page><link rel=alternate hreflang=zh-Hant-TW href=https://a.example/zh><link rel=alternate hreflang=x-default href=https://a.example/>", "pass 3 versions", { 0 } },
    { "hreflang: no language", "<link rel=alternate hreflang=en-UKK href=https://a.example/p/page>", "fail invalid region: en-UKK", { 0 } },
    { "hreflang: a region that is not a country", "<link rel=alternate hreflang=en-UK href=https://a.example/p/page>", "fail invalid region: en-UK", { 0 } },
    { "hreflang: a country", "<link rel=alternate hreflang=en-gb href=https://a.example/p/page>", "pass 1 versions", { 0 } },
    { "hreflang: a script and no country", "<link rel=alternate hreflang=zh-Hant-ZZ href=https://a.example/p/page>", "fail invalid region: zh-Hant-ZZ", { 0 } },
    { "hreflang: blanks", "<link rel=alternate hreflang=' en' href=https://a.example/p/page>", "fail invalid language:  en", { 0 } },
    { "hreflang: header", "", "pass 2 versions", { .headers = "content-type: text/html\nlink: <https://a.example/p/page>; rel=\"alternate\"; hreflang=\"en\", <https://a.example/de>;rel=alternate;hreflang=de" } },
    { "hreflang: header and markup", "<link rel=alternate hreflang=en href=https://a.example/p/page>", "pass 2 versions", { .headers = "content-type: text/html\nlink: <https://a.example/de>; rel=alternate; hreflang=de" } },
    { "hreflang: no language in a header", "", "fail invalid language: xx1", { .headers = "content-type: text/html\nlink: <https://a.example/p/page>; rel=alternate; hreflang=xx1" } },
    { "hreflang: relative in a header", "", "fail not absolute: //a.example/p/page", { .headers = "content-type: text/html\nlink: <//a.example/p/page>; rel=alternate; hreflang=en" } },
    { "hreflang: another relation in a header", "", "info none", { .headers = "content-type: text/html\nlink: <https://a.example/de>; rel=prev; hreflang=de; title=\"alternate\"" } },
    { "hreflang: relative", "<link rel=alternate hreflang=en href=/p/page>", "fail not absolute: /p/page", { 0 } },
    { "hreflang: without this page", "<link rel=alternate hreflang=de href=https://a.example/de>", "fail 1 versions, without this page", { 0 } },
    { "hreflang: its canonical URL", "<link rel=canonical href=https://a.example/q><link rel=alternate hreflang=de href=https://a.example/q>", "pass 1 versions", { 0 } },

    { "title: good", "<title> Ten chars! </title>", "pass 10 characters: Ten chars!", { 0 } },
    { "title: characters, not bytes", "<title>ääääääääää</title>", "pass 10 characters: ääääääääää", { 0 } },
    { "title: short", "<title>Nine char</title>", "warn 9 characters: Nine char", { 0 } },
    { "title: none", "", "fail none", { 0 } },
    { "title: empty", "<title> </title>", "fail empty", { 0 } },
    { "title: no-break spaces", "<title>&nbsp;\t&#8203;</title>", "fail empty", { 0 } },
    { "title: 60", "<title>" X10("abcdef") "</title>", "pass 60 characters: " X10("abcdef"), { 0 } },
    { "title: 61", "<title>" X10("abcdef") "g</title>", "warn 61 characters: " X10("abcdef") "g", { 0 } },
    { "title: 71", "<title>" X10("abcdefg") "h</title>", "fail 71 characters: " X10("abcdefg") "h", { 0 } },
    { "title: of a picture", "<svg><title>abcdefghijkl</title></svg>", "fail none", { 0 } },
    { "title_unique: one", "<title>a</title>", "pass 1", { 0 } },
    { "title_unique: two", "<title>a</title><title></title>", "fail 2", { 0 } },
    { "title_unique: none in the head", "<p>a<title>a</title>", "info 0", { 0 } },

    { "meta_description: good", "<meta name=description content='" X10("abcde") "'>", "pass 50 characters: " X10("abcde"), { 0 } },
    { "meta_description: short", "<meta name=Description content=' abc '>", "warn 3 characters: abc", { 0 } },
    { "meta_description: long", "<meta name=description content='" X10("abcdefghijklmnop") "q'>", "warn 161 characters: " X10("abcdefghijklmnop") "q", { 0 } },
    { "meta_description: too long", "<meta name=description content='" X100("abc") X10("de") "f'>", "fail ~ ^321 characters: abcabc", { 0 } },
    { "meta_description: none", "", "fail none", { 0 } },
    { "meta_description: no-break spaces", "<meta name=description content='&nbsp; &nbsp;'>", "fail empty", { 0 } },
    { "meta_description: empty", "<meta name=description content>", "fail empty", { 0 } },
    { "meta_description_unique: one", "<meta name=description content=a>", "pass 1", { 0 } },
    { "meta_description_unique: two", "<meta name=description content=a><meta name=description content=b>", "fail 2", { 0 } },

    { "h1: one", "<h1>A <b>b</b></h1>", "pass 1: A  b", { 0 } },
    { "h1: two", "<h1>a</h1><h1>b</h1>", "warn 2: a", { 0 } },
    { "h1: none", "<h2>a</h2>", "fail none", { 0 } },
    { "h1: no-break spaces", "<h1>&nbsp;</h1>", "fail empty", { 0 } },
    { "h1: empty", "<h1> </h1>", "fail empty", { 0 } },
    { "heading_order: in order", "<h1>a</h1><h2>b</h2><h3>c</h3><h2>d</h2><h1>e</h1>", "pass 5 headings", { 0 } },
    { "heading_order: one skip", "<h1>a</h1><h3>b</h3>", "warn 1 skipped, first h1 to h3", { 0 } },
    { "heading_order: two skips", "<h2>a</h2><h4>b</h4><h1>c</h1><h6>d</h6>", "fail 2 skipped, first h2 to h4", { 0 } },
    { "heading_order: begins low", "<h3>a</h3>", "fail starts with h3", { 0 } },
    { "heading_order: none", "", "info no headings", { 0 } },

    { "lang: valid", "<html lang=pt-BR>", "pass pt-BR", { 0 } },
    { "lang: odd", "<html lang=english>", "warn english", { 0 } },
    { "lang: none", "<html>", "fail none", { 0 } },
    { "charset: header", "", "pass utf-8", { 0 } },
    { "charset: meta", "<meta charset=UTF-8>", "pass utf-8", { .headers = "content-type: text/html" } },
    { "charset: another", "", "warn windows-1252", { .headers = "content-type: text/html; charset=latin1" } },
    { "charset: none", "a", "fail none declared", { .headers = "content-type: text/html" } },
    { "viewport: good", "<meta name=viewport content='width=device-width, initial-scale=1'>", "pass width=device-width, initial-scale=1", { 0 } },
    { "viewport: fixed width", "<meta name=viewport content='width=980'>", "warn width=980", { 0 } },
    { "viewport: no zoom", "<meta name=viewport content='width=device-width,user-scalable=no'>", "warn width=device-width,user-scalable=no", { 0 } },
    { "viewport: none", "", "fail none", { 0 } },
    { "doctype: html", "<!doctype HTML>", "pass html", { 0 } },
    { "doctype: legacy-compat", "<!DOCTYPE html SYSTEM 'about:legacy-compat'>", "pass html", { 0 } },
    { "doctype: old", "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", "warn older HTML", { 0 } },
    { "doctype: none", "<html>", "fail none", { 0 } },
    { "document_type: html", "", "pass text/html", { 0 } },
    { "document_type: xhtml", "", "pass application/xhtml+xml", { .headers = "content-type: Application/XHTML+xml; charset=utf-8" } },
    { "document_type: another", "", "fail application/pdf", { .headers = "content-type: application/pdf" } },

    { "word_count: 300", "<p>" X100("a <b>b</b> c-d\n"), "pass 300 words", { 0 } },
    { "word_count: 299", "<p>" X100("ab <br>") X100("12&nbsp;") X10("&amp; c<p>") X10("d ") X10("e ") X10("f ") X10("g ") X10("h ") X10("i ") X10("j ") X10("k ") "l<p>m n o p q r s t", "warn 299 words", { 0 } },
    { "word_count: hidden text", "<title>a</title><p>b<script>c d</script><style>e</style><noscript>f</noscript><template>g</template><svg><text>h</text></svg><textarea>i</textarea><!--j-->", "fail 1 words", { 0 } },
    { "word_count: Japanese", "<p>" X100("検索エンジン"), "pass 300 words", { 0 } },
    { "text_ratio: 10", "<p>" X100("ab") "<!--" X100("cdefghijklmnopqr") "-->", "pass 11 %", { 0 } },
    { "text_ratio: 5", "<p>" X100("ab") "<!--" X100("cdefghijklmnopqrcdefghijklmnopqr") "-->", "warn 5 %", { 0 } },
    { "text_ratio: less", "<p>a<script>" X100("b") "</script>", "fail 0 %", { 0 } },

    { "image_alt: all", "<img alt=a><img alt>", "pass 2 of 2 images", { 0 } },
    { "image_alt: 80 %", "<img alt=a><img alt=b><img alt=c><img alt=d><img>", "warn 4 of 5 images", { 0 } },
    { "image_alt: decoration", "<img role=presentation><img role=' NONE x'><img aria-hidden=true>", "pass 3 of 3 images", { 0 } },
    { "image_alt: labels", "<img aria-label=a><img aria-labelledby=b>", "pass 2 of 2 images", { 0 } },
    { "image_alt: other roles, empty labels", "<img role=img><img aria-label=' '><img aria-labelledby><img aria-hidden=false><img role='img presentation'>", "fail 0 of 5 images", { 0 } },
    { "image_alt: less", "<img alt=a><img>", "fail 1 of 2 images", { 0 } },
    { "image_alt: none", "", "info no images", { 0 } },
    { "image_dimensions: all", "<img width=1 height=2>", "pass 1 of 1 images", { 0 } },
    { "image_dimensions: half", "<img width=1 height=2><img width=1>", "warn 1 of 2 images", { 0 } },
    { "image_dimensions: less", "<img>", "fail 0 of 1 images", { 0 } },
    { "image_dimensions: none", "", "info no images", { 0 } },

    { "link_text: a label of an image", "<a href=/x><img aria-label='click here' alt=prices></a>", "warn 1 generic, such as \"click here\"", { 0 } },
    { "link_text: telling", "<a href=/a>Our prices</a>", "pass 0 generic", { 0 } },
    { "link_text: generic", "<a href=/a> Click <b>here</b>! »</a>", "warn 1 generic, such as \"Click here! »\"", { 0 } },
    { "link_text: four languages", "<a href=/a>Mehr</a><a href=/a>EN SAVOIR PLUS</a><a href=/a>Más</a><a href=/a>続きを読む</a>", "fail 4 generic, such as \"Mehr\"", { 0 } },
    { "link_text: what is not judged", "<a href=/a rel=nofollow>here</a><a href=#a>here</a><a href=mailto:a@b.example>here</a><a href=javascript:a()>here</a><a href=/a aria-label=Prices>here</a>", "pass 0 generic", { 0 } },
    { "link_text: to this page", "<a href=/p/page>here</a><a href=https://a.example/p/page#b>here</a><a href=page>here</a><a href=page?c>here</a>", "warn 1 generic, such as \"here\"", { 0 } },
    { "link_text: an image's", "<a href=/a><img alt='read more'></a>", "warn 1 generic, such as \"read more\"", { 0 } },
    { "link_text: not closed", "<a href=/a>here<a href=/b>there</a>", "warn 1 generic, such as \"here\"", { 0 } },
    { "crawlable_links: all", "<a href=/a>a</a><a href=mailto:b>b</a><a href='' id=c></a><a href='' name=d></a>", "pass 4 links", { 0 } },
    { "crawlable_links: javascript", "<a href=' JavaScript:a()'>a</a><a href=/b>b</a>", "fail 1 of 2 not crawlable: \"JavaScript:a()\"", { 0 } },
    { "crawlable_links: placeholders and buttons", "<a>a</a><a id=c></a><a name=d></a><a role=button></a><a class=e>e</a>", "pass 0 links", { 0 } },
    { "crawlable_links: a button by script", "<a role=button href=javascript:a()>a</a>", "pass 1 links", { 0 } },
    { "crawlable_links: a role of nothing", "<a role=' ' href=javascript:a()>a</a>", "fail 1 of 1 not crawlable: \"javascript:a()\"", { 0 } },
    { "crawlable_links: a name of nothing", "<a name=' ' rel=next>a</a>", "fail 1 of 1 not crawlable: \"\"", { 0 } },
    { "crawlable_links: a script instead of an href", "<a onclick=a()>a</a>", "fail 1 of 1 not crawlable: \"\"", { 0 } },
    { "crawlable_links: an address that was forgotten", "<a target=_blank>a</a>", "fail 1 of 1 not crawlable: \"\"", { 0 } },
    { "crawlable_links: an unfinished address", "<a href=HTTP://>a</a><a href=/b>b</a>", "fail 1 of 2 not crawlable: \"HTTP://\"", { 0 } },
    { "crawlable_links: file", "<a href=file:///a>a</a>", "fail 1 of 1 not crawlable: \"file:///a\"", { 0 } },
    { "crawlable_links: empty", "<a href=''>a</a>", "fail 1 of 1 not crawlable: \"\"", { 0 } },
    { "internal_links: three", "<a href=/a>a</a><a href=b>b</a><a href=https://www.A.example/c>c</a>", "pass 3", { 0 } },
    { "internal_links: one", "<a href='?a'>a</a><a href=#b>b</a><a href=//b.example/c>c</a><a href=tel:1>d</a>", "warn 1", { 0 } },
    { "internal_links: none", "", "fail 0", { 0 } },
    { "internal_links: from another base", "<base href=https://b.example/><a href=/a>a</a>", "fail 0", { 0 } },
    { "external_links: counted", "<a href=//b.example/>a</a><a href=https://c.example rel='noopener UGC'>b</a><a href=/c>c</a>", "info 2, of which nofollow: 1", { 0 } },

    { "mixed_content: none", "<img src=/a><a href=http://b.example/>a</a>", "pass none", { 0 } },
    { "mixed_content: passive", "<img src=HTTP://b.example/a>", "warn 1 images or media over http, first HTTP://b.example/a", { 0 } },
    { "mixed_content: active", "<img src=http://b.example/a><script src=http://b.example/b></script>", "fail 1 scripts, styles or frames over http, first http://b.example/b", { 0 } },
    { "mixed_content: a style", "<link rel=stylesheet href=http://b.example/a>", "fail 1 scripts, styles or frames over http, first http://b.example/a", { 0 } },
    { "mixed_content: on http", "<script src=http://b.example/b></script>", "info the page itself uses http", { .url = "http://a.example/" } },
    { "meta_refresh: none", "", "pass none", { 0 } },
    { "meta_refresh: at once", "<meta http-equiv=Refresh content='0; URL=/a'>", "warn 0; URL=/a", { 0 } },
    { "meta_refresh: timed", "<meta http-equiv=refresh content='5;url=/a'>", "fail 5;url=/a", { 0 } },
    { "meta_refresh: itself", "<meta http-equiv=refresh content=0>", "fail 0", { 0 } },
    { "frames_plugins: none", "", "pass 0 iframes", { 0 } },
    { "frames_plugins: titled", "<iframe title=a></iframe>", "pass 1 iframes", { 0 } },
    { "frames_plugins: untitled", "<iframe title=' '></iframe><iframe title=a></iframe>", "warn 1 of 2 iframes without title", { 0 } },
    { "frames_plugins: embed", "<embed src=a><object></object>", "fail 2, first embed", { 0 } },
    { "favicon: linked", "<link rel='shortcut icon' href=/i>", "pass linked", { 0 } },
    { "favicon: the file", "", "pass /favicon.ico", { .has_favicon = true } },
    { "favicon: none", "<link rel=mask-icon href=/i>", "fail none", { 0 } },

    { "og_title: there", "<meta property=og:title content=a>", "pass a", { 0 } },
    { "og_title: by name", "<meta name=og:title content=a>", "pass a", { 0 } },
    { "og_title: long", "<meta property=og:title content=" X10("abcdefghi") "jklmno>", "warn " X10("abcdefghi") "jklmno", { 0 } },
    { "og_title: none", "", "fail none", { 0 } },
    { "og_description: there", "<meta property=og:description content=a>", "pass a", { 0 } },
    { "og_description: long", "<meta property=og:description content=" X100("ab") "c>", "warn " X100("ab") "c", { 0 } },
    { "og_description: none", "<meta property=og:description content=''>", "fail none", { 0 } },
    { "og_image: good", "<meta property=og:image content=https://a.example/i.png>", "pass https://a.example/i.png", { 0 } },
    { "og_image: relative", "<meta property=og:image content=/i.png>", "warn /i.png", { 0 } },
    { "og_image: by http", "<meta property=og:image content=http://a.example/i.png>", "warn http://a.example/i.png", { 0 } },
    { "og_image: none", "", "fail none", { 0 } },
    { "og_url: this page", "<meta property=og:url content=https://a.example/p/page>", "pass https://a.example/p/page", { 0 } },
    { "og_url: the canonical one", "<link rel=canonical href=https://a.example/q><meta property=og:url content=https://a.example/q>", "pass https://a.example/q", { 0 } },
    { "og_url: differs", "<meta property=og:url content=https://a.example/>", "warn https://a.example/", { 0 } },
    { "og_url: none", "", "fail none", { 0 } },
    { "og_type: known", "<meta property=og:type content=article>", "pass article", { 0 } },
    { "og_type: unknown", "<meta property=og:type content=thing>", "warn thing", { 0 } },
    { "og_type: none", "", "fail none", { 0 } },
    { "twitter_card: known", "<meta name=twitter:card content=summary_large_image>", "pass summary_large_image", { 0 } },
    { "twitter_card: unknown", "<meta name=twitter:card content=photo>", "warn photo", { 0 } },
    { "twitter_card: Open Graph instead", "<meta property=og:title content=a><meta property=og:image content=b>", "warn none; Open Graph is used instead", { 0 } },
    { "twitter_card: none", "", "fail none", { 0 } },

    { "structured_data: JSON-LD", LD(SCHEMA "\"Thing\"}"), "pass JSON-LD: Thing", { 0 } },
    { "structured_data: a graph", LD("{\"@context\":{\"@vocab\":\"http://schema.org/\"},\"@graph\":[{\"@type\":[\"Person\",\"schema:Organization\"]}]}"), "pass JSON-LD: Person, Organization", { 0 } },
    { "structured_data: a list", LD("[" SCHEMA "\"https://schema.org/Event\"}]"), "pass JSON-LD: Event", { 0 } },
    { "structured_data: microdata", "<div itemscope itemtype=https://schema.org/Person>", "pass 1 items, first https://schema.org/Person", { 0 } },
    { "structured_data: RDFa", "<div vocab=https://schema.org/ typeof=Person>", "pass 1 items, first Person", { 0 } },
    { "structured_data: no type", LD("{\"@context\":\"https://schema.org\"}"), "warn JSON-LD without a schema.org type", { 0 } },
    { "structured_data: no context", LD("{\"@type\":\"Person\"}"), "warn JSON-LD without a schema.org type", { 0 } },
    { "structured_data: none", "<script>{}</script>", "warn none", { 0 } },
    { "structured_data: broken", LD("{\"@type\":}"), "fail ~ ^JSON-LD: ", { 0 } },
    { "structured_data_required: complete", LD(SCHEMA "\"Product\",\"name\":\"a\",\"offers\":{\"price\":1},\"description\":\"b\",\"image\":[\"c\"]}"), "pass complete: Product", { 0 } },
    { "structured_data_required: recommended", LD(SCHEMA "\"Product\",\"name\":\"a\",\"review\":{},\"description\":\"b\",\"image\":[]}"), "warn Product without image (recommended)", { 0 } },
    { "structured_data_required: required", LD(SCHEMA "\"Product\",\"name\":\"a\"}"), "fail Product without offers|review|aggregateRating", { 0 } },
    { "structured_data_required: empty", LD(SCHEMA "\"Article\",\"headline\":\"\"}"), "fail Article without headline", { 0 } },
    { "structured_data_required: breadcrumbs", LD(SCHEMA "\"BreadcrumbList\",\"itemListElement\":[{}]}"), "pass complete: BreadcrumbList", { 0 } },
    { "structured_data_required: organization", LD(SCHEMA "\"Organization\",\"url\":\"a\"}"), "fail Organization without name", { 0 } },
    { "structured_data_required: business", LD(SCHEMA "\"LocalBusiness\",\"name\":\"a\"}"), "fail LocalBusiness without address", { 0 } },
    { "structured_data_required: questions", LD(SCHEMA "\"FAQPage\"}"), "fail FAQPage without mainEntity", { 0 } },
    { "structured_data_required: event", LD(SCHEMA "\"Event\",\"name\":\"a\",\"startDate\":\"b\"}"), "fail Event without location", { 0 } },
    { "structured_data_required: recipe", LD(SCHEMA "\"Recipe\",\"name\":\"a\"}"), "fail Recipe without image", { 0 } },
    { "structured_data_required: site", LD(SCHEMA "\"WebSite\",\"name\":\"a\"}"), "fail WebSite without url", { 0 } },
    { "structured_data_required: video", LD(SCHEMA "\"VideoObject\",\"name\":\"a\",\"thumbnailUrl\":\"b\"}"), "fail VideoObject without uploadDate", { 0 } },
    { "structured_data_required: another type", LD(SCHEMA "\"Thing\"}"), "info no type with required properties", { 0 } },

    { "html_size: small", "abc", "pass 3 bytes", { 0 } },
    { "html_size: 100 KiB", "L102400", "pass 102400 bytes", { 0 } },
    { "html_size: more", "L102401", "warn 102401 bytes", { 0 } },
    { "html_size: more than 500 KiB", "L512001", "fail 512001 bytes", { 0 } },
    { "compression: gzip", "L2000", "pass gzip", { .headers = "content-type: text/html\nContent-Encoding: gzip" } },
    { "compression: none", "L1025", "fail none", { 0 } },
    { "compression: identity", "L1025", "fail none", { .headers = "content-type: text/html\ncontent-encoding: identity" } },
    { "compression: too small", "L1024", "info none, for 1024 bytes", { 0 } },
    { "response_time: fast", "", "pass 799 ms", { .first_byte_ms = 799 } },
    { "response_time: slow", "", "warn 800 ms", { .first_byte_ms = 800 } },
    { "response_time: too slow", "", "fail 1800 ms", { .first_byte_ms = 1800 } },

    { "meta_keywords: there", "<meta name=keywords content='a, b'>", "info a, b", { 0 } },
    { "meta_keywords: none", "", "info none", { 0 } },
    { "amp: this page", "<html ⚡>", "info this page", { 0 } },
    { "amp: linked", "<link rel=amphtml href=/amp>", "info /amp", { 0 } },
    { "amp: none", "", "info none", { 0 } },
    { "feed: linked", "<link rel=alternate type=application/atom+xml href=/f>", "info linked", { 0 } },
    { "feed: none", "", "info none", { 0 } },
    { "manifest: linked", "<link rel=manifest href=/m>", "info linked", { 0 } },
    { "manifest: none", "", "info none", { 0 } },
    { "apple_touch_icon: linked", "<link rel=apple-touch-icon href=/i>", "info linked", { 0 } },
    { "apple_touch_icon: none", "", "info none", { 0 } },
    { "title_in_content: share", "<title>Blue Ängste, red</title><p>A blue day: ÄNGSTE!", "info 2 of 3 words (66 %)", { 0 } },
    { "title_in_content: none", "", "info none", { 0 } },
};
/* clang-format on */

/* "L1000" is a page of 1000 bytes. */
static void fill(const char *body, struct buf *out)
{
    size_t size = 0;
    if (sscanf(body, "L%zu", &size) != 1) {
        buf_add_str(out, body);
        return;
    }
    while (out->size < size)
        buf_add_byte(out, 'a');
}

static void check(void **state)
{
    static const char *const names[] = { "info", "pass", "warn", "fail" };
    const struct row *row = *state;
    scoped(buf_free) struct buf body = BUF(1 << 20);
    scoped(mem_free) char *name = str_dup(row->name);
    scoped(mem_free) struct report *report = mem_new(sizeof(*report));

    *strchr(name, ':') = '\0';
    fill(row->body, &body);
    rate_around(&row->around, buf_text(&body), report);
    enum factor factor = factor_of(name);
    scoped(mem_free) char *got =
        str_format("%s %s", names[report->finding[factor].status], report->finding[factor].content);
    const char *tilde = strstr(row->want, "~ ^");
    if (tilde) /* compare the beginning only */
        assert_memory_equal(strchr(got, ' ') + 1, tilde + 3, strlen(tilde + 3));
    else
        assert_string_equal(got, row->want);
    assert_memory_equal(got, row->want, 4);
}

/* Every factor has a row for each of its possible statuses. */
static void each_factor_has_rows(void **state)
{
    static const char *const names[] = {
#define FACTOR(id, name, weight, category, needs, recommendation) name,
#include "seo-analyze/factors/factor.def"
    };
    (void)state;
    assert_int_equal(countof(names), 49);
    for (size_t i = 0; i < countof(names); i++) {
        size_t count = 0;
        for (size_t j = 0; j < countof(rows); j++)
            count += strncmp(rows[j].name, names[i], strlen(names[i])) == 0 &&
                     rows[j].name[strlen(names[i])] == ':';
        if (count == 0)
            fail_msg("%s has no row", names[i]);
    }
}

/* Without an HTML page, only factors of the response are rated. */
static void only_pages_have_titles(void **state)
{
    (void)state;
    scoped(mem_free) struct report *report = mem_new(sizeof(*report));
    const struct around around = { .headers = "content-type: image/png" };
    rate_around(&around, TEXT("<title>abcdefghijkl</title>"), report);
    for (int i = 0; i < FACTORS; i++)
        if (factor_needs_page((enum factor)i))
            assert_string_equal(report->finding[i].content, "not an HTML page");
    assert_int_equal(report->finding[FACTOR_DOCUMENT_TYPE].status, STATUS_FAIL);
    assert_int_equal(report->finding[FACTOR_HTTPS].status, STATUS_PASS);
}

/* More URLs than the protocol allows. */
static void a_large_sitemap(void **state)
{
    (void)state;
    scoped(mem_free) struct report *report = mem_new(sizeof(*report));
    scoped(buf_free) struct buf sitemap = BUF(1 << 20);
    buf_add_str(&sitemap, URLSET);
    for (int i = 0; i < 50001; i++)
        buf_add_str(&sitemap, "<url/>");
    buf_add_str(&sitemap, "</urlset>");
    const struct around around = { .sitemap = buf_str(&sitemap) };
    rate_around(&around, TEXT(""), report);
    assert_int_equal(report->finding[FACTOR_SITEMAP].status, STATUS_WARN);
    assert_string_equal(report->finding[FACTOR_SITEMAP].content, "50001 URLs");
}

/* ---- scores ---- */

static void scores(void **state)
{
    (void)state;
    scoped(mem_free) struct report *report = mem_new(sizeof(*report));
    assert_int_equal(report_score(report), 0); /* nothing was rated */
    report_set(report, FACTOR_TITLE, STATUS_PASS, "a");
    assert_int_equal(report_score(report), 100);
    report_set(report, FACTOR_H1, STATUS_WARN, "a");
    assert_int_equal(report_score(report), 80); /* (6 + 2) / 10 */
    report_set(report, FACTOR_LANG, STATUS_FAIL, "a");
    assert_int_equal(report_score(report), 67); /* 8 / 12 = 66.7 */
    report_set(report, FACTOR_AMP, STATUS_INFO, "a");
    assert_int_equal(report_score(report), 67);
    report_set(report, FACTOR_INDEXABLE, STATUS_FAIL, "a");
    assert_int_equal(report_score(report), 36); /* 8 / 22 */
    report_set(report, FACTOR_LANG, STATUS_PASS, "a");
    report_set(report, FACTOR_VIEWPORT, STATUS_PASS, "a");
    assert_int_equal(report_score(report), 39); /* 14 / 26 = 54, limited */
    report_set(report, FACTOR_HTTP_STATUS, STATUS_FAIL, "a");
    assert_int_equal(report_score(report), 19);
}

static void grades(void **state)
{
    static const struct {
        int score;
        const char *grade;
    } want[] = { { 100, "A+" }, { 95, "A+" }, { 94, "A" }, { 85, "A" }, { 84, "B" }, { 70, "B" },
                 { 69, "C" },   { 55, "C" },  { 54, "D" }, { 40, "D" }, { 39, "F" }, { 0, "F" } };
    (void)state;
    for (size_t i = 0; i < countof(want); i++)
        assert_string_equal(grade_of(want[i].score, true), want[i].grade);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(each_factor_has_rows),
        cmocka_unit_test(only_pages_have_titles),
        cmocka_unit_test(a_large_sitemap),
        cmocka_unit_test(scores),
        cmocka_unit_test(grades),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
