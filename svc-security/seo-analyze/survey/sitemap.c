/* svc-security/seo-analyze/survey/sitemap.c - parse a sitemap with expat, which limits entity
 * expansion. */
#include "sitemap.h"

#include <expat.h>
#include <string.h>

#include "base/num.h"
#include "inflate.h"

enum { PLAIN_BYTES_MAX = 8 << 20 };

struct parse {
    struct sitemap *sitemap;
    unsigned depth;
};

/* The name without its prefix. */
static const char *local_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static void XMLCALL open_element(void *user, const char *name, const char **attributes)
{
    struct parse *parse = user;
    struct sitemap *sitemap = parse->sitemap;
    const char *local = local_name(name);
    (void)attributes;
    if (parse->depth == 0) {
        sitemap->is_index = strcmp(local, "sitemapindex") == 0;
        sitemap->is_known = sitemap->is_index || strcmp(local, "urlset") == 0;
    }
    if (parse->depth == 1)
        sitemap->urls += strcmp(local, sitemap->is_index ? "sitemap" : "url") == 0;
    parse->depth++;
}

static void XMLCALL close_element(void *user, const char *name)
{
    struct parse *parse = user;
    (void)name;
    parse->depth--;
}

static void parse_xml(struct text text, bool is_cut, struct sitemap *sitemap)
{
    struct parse parse = { .sitemap = sitemap };
    XML_Parser parser = XML_ParserCreate(NULL);
    if (!parser)
        return;
    XML_SetUserData(parser, &parse);
    XML_SetElementHandler(parser, open_element, close_element);
    enum XML_Status status = XML_Parse(parser, text.bytes, (int)text.size, !is_cut);
    sitemap->is_xml = status == XML_STATUS_OK;
    XML_ParserFree(parser);
}

void sitemap_read(struct text text, bool is_cut, struct sitemap *sitemap)
{
    scoped(buf_free) struct buf plain = BUF(PLAIN_BYTES_MAX);
    *sitemap = (struct sitemap){ 0 };
    if (text.size >= 2 && memcmp(text.bytes, "\x1F\x8B", 2) == 0) {
        is_cut |= !inflate_text(text, &plain);
        text = buf_text(&plain);
    }
    if (text.size > 0)
        parse_xml(text, is_cut, sitemap);
}
