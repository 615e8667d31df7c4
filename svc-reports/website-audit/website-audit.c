/* svc-reports/website-audit/website-audit.c - run other groups' tools in parallel as subjobs, next
 * to the audit's own crawl of the page. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "browser/browser.h"
#include "carbon-footprint/knowledge.h"
#include "net/dns.h"
#include "net/egress.h"
#include "net/target.h"
#include "svc/args.h"
#include "svc/subjobs.h"
#include "text/domains/public-suffix.h"
#include "text/json.h"
#include "tools.h"
#include "website-audit/fingerprint.h"
#include "website-audit/local-sections.h"
#include "website-audit/page.h"
#include "website-audit/site-audit.h"

enum {
    CALL_MS = 25000,
    LAST_MS = 1000,    /* reserved for writing the report */
    SERVERS_MS = 1500, /* to resolve the name servers */
    SERVERS_MAX = 8,
    REQUEST_BYTES = 6 * URL_MAX_BYTES + 256, /* a byte takes at most 6 in JSON */
};

/* ---- the request ---- */

static void read_sections(const struct job *job, struct site_audit *audit)
{
    const cJSON *list = arg_any(job, "sections");
    const cJSON *name;
    for (enum section_id id = 0; id < SECTIONS; id++)
        audit->is_requested[id] = !list && section_is_default(id);
    cJSON_ArrayForEach(name, list)
        audit->is_requested[section_named(name->valuestring)] = true;
}

/* The tools get the URL as in the request, so that they try http for a URL without a scheme. */
static struct site site_of(const struct job *job, const struct target *target)
{
    const struct host *host = &target->host;
    return (struct site){
        .url = arg_str(job, "url"),
        .host = host->name,
        .domain =
            host->is_address ? NULL : public_suffix_owner(egress_suffixes(job->egress), host->name),
        .tls_port = target->is_https ? target->port : 443,
    };
}

/* ---- sections of other groups ---- */

struct section_batch {
    size_t count;
    enum section_id id[SECTIONS];
    struct subjob subjob[SECTIONS];
    struct buf request[SECTIONS];
    struct subjob_batch *subjobs;
};

static void begin_sections(const struct job *job, const struct site_audit *audit,
                           const struct site *site, int64_t deadline_ms,
                           struct section_batch *batch)
{
    for (enum section_id id = 0; id < SECTIONS; id++) {
        struct buf *request = &batch->request[batch->count];
        *request = (struct buf)BUF(REQUEST_BYTES);
        const char *tool = audit->is_requested[id] ? section_tool(id, site, request) : NULL;
        if (!tool)
            continue;
        batch->id[batch->count] = id;
        batch->subjob[batch->count++] = (struct subjob){
            .tool = tool, .request = buf_text(request), .budget_ms = deadline_left_ms(deadline_ms)
        };
    }
    batch->subjobs = subjobs_begin(job, batch->subjob, batch->count);
}

static void take_section(struct subjob *subjob, struct section *section)
{
    bool is_late = subjob->err.kind == ERR_DEADLINE_EXCEEDED;
    section->duration_ms = subjob->took_ms;
    section->err = subjob->err;
    if (subjob->err.kind == ERR_NONE &&
        json_parse(buf_text(&subjob->result), JSON_DEPTH, &section->result, &section->err))
        section->status = SECTION_OK;
    else
        section->status = is_late ? SECTION_TIMEOUT : SECTION_FAILED;
}

static void end_sections(struct section_batch *batch, int64_t deadline_ms, struct site_audit *audit)
{
    subjobs_end(&batch->subjobs, deadline_ms);
    for (size_t i = 0; i < batch->count; i++) {
        take_section(&batch->subjob[i], &audit->section[batch->id[i]]);
        buf_free(&batch->subjob[i].result);
    }
    for (size_t i = 0; i < countof(batch->request); i++)
        buf_free(&batch->request[i]);
}

/* ---- name servers ---- */

/* Are all addresses in one network? IPv4 addresses are in their mapped form. */
static bool is_one_network(const struct addresses *addresses)
{
    const uint8_t *first[2] = { NULL, NULL };
    for (size_t i = 0; i < addresses->count; i++) {
        const struct in6_addr *address = &addresses->item[i];
        bool is_v4 = IN6_IS_ADDR_V4MAPPED(address);
        size_t bytes = is_v4 ? 15 : 6; /* /24 and /48 */
        if (first[is_v4] && memcmp(first[is_v4], address->s6_addr, bytes) != 0)
            return false;
        first[is_v4] = address->s6_addr;
    }
    return addresses->count > 0;
}

static void query_name_servers(const struct job *job, const cJSON *zone, int64_t deadline_ms,
                               struct name_servers *servers)
{
    struct dns_question question[2 * SERVERS_MAX];
    struct dns_answer answer[2 * SERVERS_MAX];
    struct addresses addresses = { 0 };
    const cJSON *record;
    size_t count = 0;

    cJSON_ArrayForEach(record, json_at(zone, "/records/NS")) {
        const char *name = json_text(record, "/data");
        servers->count++;
        if (!name || count == countof(question))
            continue;
        question[count++] = (struct dns_question){ name, DNS_A };
        question[count++] = (struct dns_question){ name, DNS_AAAA };
    }
    if (count == 0)
        return;
    bool ok = dns_query(job->egress, question, count, deadline_within(deadline_ms, SERVERS_MS),
                        answer, NULL);
    for (size_t i = 0; i < count; i++) {
        dns_add_addresses(&answer[i].message, &question[i], &addresses);
        dns_answer_free(&answer[i]);
    }
    servers->is_one_network = ok && servers->count > 1 && is_one_network(&addresses);
}

/* ---- in a browser ---- */

/* While the other groups' tools run, and after the crawl, whose timings it would change. */
static void visit_page(const struct job *job, const struct site_audit *audit, int64_t deadline_ms,
                       cJSON *seen)
{
    const struct knowledge *knowledge = job->data;
    const char *url = audit->final_url ? audit->final_url : audit->url;
    browser_add(job, knowledge->browser_url, url, deadline_ms, seen);
}

/* ---- the tool ---- */

static void respond_with_page(const struct job *job, const cJSON *result)
{
    scoped(html_report_free) struct html_report page = HTML_REPORT;
    const char *url = json_text(result, "/final_url");
    html_report_begin(&page, "Website audit", url ? url : json_text(result, "/url"),
                      json_text(result, "/scanned_at"));
    website_page(result, &page);
    html_report_respond(&page, job, "website-audit");
}

static void write_fingerprint(const struct site_audit *audit, const struct fingerprint *before,
                              cJSON *result)
{
    scoped(buf_free) struct buf text = BUF(FINGERPRINT_MAX_BYTES);
    fingerprint_write(audit, audit->site->host, &text);
    json_str(result, "fingerprint", buf_str(&text));
    if (before)
        fingerprint_compare(before, audit, result);
}

bool website_audit(const struct job *job, cJSON *result, struct err *err)
{
    int64_t begin_ms = clock_ms();
    int64_t deadline_ms = deadline_within(job->deadline_ms, CALL_MS) - LAST_MS;
    scoped(site_audit_free) struct site_audit audit = { .now_ms = job->now_ms };
    scoped(local_sections_free) struct local_sections own = { 0 };
    scoped(target_free) struct target target = { 0 };
    scoped(json_free) cJSON *seen = json_object(); /* in a browser */
    struct section_batch batch = { 0 };
    struct text previous = text_trim(arg_text(job, "previous"));
    scoped(mem_free) struct fingerprint *before = mem_new(sizeof(*before));

    if (!target_parse_url(arg_text(job, "url"), &target, err))
        return false;
    struct site site = site_of(job, &target);
    audit.url = target.url;
    audit.site = &site;
    if (previous.size > 0 && !fingerprint_read(previous, site.host, before, err))
        return false;
    read_sections(job, &audit);
    begin_sections(job, &audit, &site, deadline_ms, &batch);
    local_sections_run(job, browser_crawl_deadline(job, deadline_ms), &audit, &own);
    visit_page(job, &audit, deadline_ms, seen);
    end_sections(&batch, deadline_ms, &audit);
    if (audit.section[SECTION_DNS].status == SECTION_OK)
        query_name_servers(job, audit.section[SECTION_DNS].result, deadline_ms, &audit.servers);
    audit.duration_ms = clock_ms() - begin_ms;
    if (!site_audit_assess(&audit, err))
        return false;
    site_audit_write(&audit, result);
    write_fingerprint(&audit, previous.size > 0 ? before : NULL, result);
    json_add(result, "browser", json_take(seen, "browser"));
    json_add(result, "screenshot", json_take(seen, "screenshot"));
    if (strcmp(arg_str(job, "format"), "html") == 0)
        respond_with_page(job, result);
    return true;
}
