/* svc-security/main.c - the daemon of the security and website tools, which look at what customers
 * name: through net/ and its guard, never otherwise. */
#include "base/scoped.h"
#include "net/egress.h"
#include "svc/svc.h"
#include "tools.h"

/* clang-format off */
static const struct tool tools[] = {
    { "dns-lookup", dns_lookup },
    { "exposed-files", exposed_files, &exposures_data },
    { "openapi-validate", openapi_validate },
    { "security-headers", security_headers, &security_headers_data },
    { "seo-analyze", seo_analyze },
    { "subdomain-finder", subdomain_finder, &ct_sources_data },
    { "tech-detect", tech_detect, &tech_signatures_data },
    { "tls-check", tls_check },
};
/* clang-format on */

static const struct outside outside = { .slots = 256,
                                        .niceness = 10,
                                        .open = egress_open,
                                        .close = egress_close,
                                        .stray_count = egress_stray_count };

int main(int argc, char **argv)
{
    return svc_main_outside(argc, argv, "security", tools, countof(tools), &outside);
}
