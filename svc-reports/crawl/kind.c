/* svc-reports/crawl/kind.c - kinds of media types. */
#include "crawl/kind.h"

#include <string.h>

static const char *const names[KINDS] = { "html", "css",   "javascript", "image",
                                          "font", "media", "json",       "other" };

/* A trailing * matches any suffix. The first matching row applies. */
/* clang-format off */
static const struct row {
    const char *type;
    enum kind kind;
    bool is_compressible;
} rows[] = {
    { "text/html",                     KIND_HTML,       true },
    { "application/xhtml+xml",         KIND_HTML,       true },
    { "text/css",                      KIND_CSS,        true },
    { "text/javascript",               KIND_JAVASCRIPT, true },
    { "application/javascript",        KIND_JAVASCRIPT, true },
    { "application/x-javascript",      KIND_JAVASCRIPT, true },
    { "application/ecmascript",        KIND_JAVASCRIPT, true },
    { "application/wasm",              KIND_JAVASCRIPT, true },
    { "image/svg+xml",                 KIND_IMAGE,      true },
    { "image/x-icon",                  KIND_IMAGE,      true },
    { "image/vnd.microsoft.icon",      KIND_IMAGE,      true },
    { "image/bmp",                     KIND_IMAGE,      true },
    { "image/*",                       KIND_IMAGE,      false },
    { "font/ttf",                      KIND_FONT,       true },
    { "font/otf",                      KIND_FONT,       true },
    { "font/*",                        KIND_FONT,       false },
    { "application/font-woff*",        KIND_FONT,       false },
    { "application/x-font-ttf",        KIND_FONT,       true },
    { "application/x-font-opentype",   KIND_FONT,       true },
    { "application/vnd.ms-fontobject", KIND_FONT,       true },
    { "application/x-font*",           KIND_FONT,       false },
    { "video/*",                       KIND_MEDIA,      false },
    { "audio/*",                       KIND_MEDIA,      false },
    { "application/json",              KIND_JSON,       true },
    { "application/manifest+json",     KIND_JSON,       true },
    { "application/ld+json",           KIND_JSON,       true },
    { "application/xml",               KIND_OTHER,      true },
    { "text/*",                        KIND_OTHER,      true },
};
/* clang-format on */

static const struct row *find_row(const char *type)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t size = strlen(rows[i].type);
        bool is_prefix = rows[i].type[size - 1] == '*';
        if (is_prefix ? strncmp(type, rows[i].type, size - 1) == 0
                      : strcmp(type, rows[i].type) == 0)
            return &rows[i];
    }
    return NULL;
}

const char *kind_name(enum kind kind)
{
    return names[kind];
}

enum kind kind_of_type(const char *type)
{
    const struct row *row = find_row(type);
    return row ? row->kind : KIND_OTHER;
}

bool kind_is_compressible(const char *type)
{
    const struct row *row = find_row(type);
    return row && row->is_compressible;
}
