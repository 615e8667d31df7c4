/* svc-reports/website-audit/remedies.c - look up a remedy, and fill in the site's names. */
#include "website-audit/remedies.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { TEXT_BYTES = 4096 };

static const struct remedy remedies[] = {
#define REMEDY(section, id, why, nginx, apache, caddy, dns) \
    { SECTION_##section, id, why, { nginx, apache, caddy, dns, NULL } },
#include "website-audit/remedies.def"
#undef REMEDY
#define SEO_ISSUE(id, title, why, html) { SECTION_SEO, id, why, { NULL, NULL, NULL, NULL, html } },
#include "website-audit/seo-issues.def"
#undef SEO_ISSUE
};

const char *remedy_seo_title(const char *id)
{
    static const struct {
        const char *id, *title;
    } titles[] = {
#define SEO_ISSUE(id, title, why, html) { id, title },
#include "website-audit/seo-issues.def"
#undef SEO_ISSUE
    };
    for (size_t i = 0; i < countof(titles); i++)
        if (strcmp(titles[i].id, id) == 0)
            return titles[i].title;
    return id;
}

const char *remedy_kind_name(enum remedy_kind kind)
{
    static const char *const names[REMEDY_KINDS] = { "nginx", "apache", "caddy", "dns", "html" };
    return names[kind];
}

const struct remedy *remedy_of(enum section_id section, const char *id)
{
    for (size_t i = 0; i < countof(remedies); i++)
        if (remedies[i].section == section && (!remedies[i].id || strcmp(remedies[i].id, id) == 0))
            return &remedies[i];
    return NULL;
}

char *remedy_text(const struct remedy *remedy, enum remedy_kind kind, const struct site *site)
{
    scoped(buf_free) struct buf text = BUF(TEXT_BYTES);
    if (!remedy->config[kind] || (kind == REMEDY_DNS && !site->domain))
        return NULL;
    for (const char *at = remedy->config[kind]; *at;) {
        bool is_host = strncmp(at, "{host}", strlen("{host}")) == 0;
        bool is_domain = strncmp(at, "{domain}", strlen("{domain}")) == 0;
        if (is_host)
            buf_add_str(&text, site->host);
        else if (is_domain)
            buf_add_str(&text, site->domain);
        else
            buf_add_byte(&text, *at);
        at += is_host ? strlen("{host}") : is_domain ? strlen("{domain}") : 1;
    }
    return str_dup(buf_str(&text));
}
