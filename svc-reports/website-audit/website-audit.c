/* svc-reports/website-audit/website-audit.c - what other groups say of a site, asked for at once,
 * beside the audit's own crawl of its page. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/dns.h"
#include "net/egress.h"
#include "net/target.h"
#include "svc/args.h"
#include "svc/subjobs.h"
#include "text/domains/public-suffix.h"
#include "text/json.h"
#include "tools.h"
#include "website-audit/own-parts.h"
#include "website-audit/page.h"
#include "website-audit/site-audit.h"

enum {
    CALL_MS = 25000,
    LAST_MS = 1000,    /* kept for putting the report together */
    SERVERS_MS = 1500, /* to find the name servers' addresses */
    SERVERS_MAX = 8,
    REQUEST_BYTES = 6 * URL_MAX_BYTES + 256, /* as JSON, six for each byte at most */
};

/* ---- what is asked for ---- */

static void read_sections(const struct job *job, struct site_audit *audit)
{
    const cJSON *list = arg_any(job, "sections");
    const cJSON *name;
    for (enum section_id id = 0; id < SECTIONS; id++)
        audit->is_asked[id] = !list && section_is_usual(id);
    cJSON_ArrayForEach(name, list)
        audit->is_asked[section_named(name->valuestring)] = true;
}

/* The tools get the URL as it was written: one without scheme is tried by http where nothing speaks
 * https. */
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

/* ---- the parts of other groups ---- */

struct asking {
    size_t count;
    enum section_id id[SECTIONS];
    struct subjob subjob[SECTIONS];
    struct buf request[SECTIONS];
    struct subjob_batch *batch;
};

static void begin_asking(const struct job *job, const struct site_audit *audit,
                         const struct site *site, int64_t deadline_ms, struct asking *asking)
{
    for (enum section_id id = 0; id < SECTIONS; id++) {
        struct buf *request = &asking->request[asking->count];
        *request = (struct buf)BUF(REQUEST_BYTES);
        const char *tool = audit->is_asked[id] ? section_tool(id, site, request) : NULL;
        if (!tool)
            continue;
        asking->id[asking->count] = id;
        asking->subjob[asking->count++] = (struct subjob){
            .tool = tool, .request = buf_text(request), .budget_ms = deadline_left_ms(deadline_ms)
        };
    }
    asking->batch = subjobs_begin(job, asking->subjob, asking->count);
}

static void take_answer(struct subjob *subjob, struct section *section)
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

static void end_asking(struct asking *asking, int64_t deadline_ms, struct site_audit *audit)
{
    subjobs_end(&asking->batch, deadline_ms);
    for (size_t i = 0; i < asking->count; i++) {
        take_answer(&asking->subjob[i], &audit->section[asking->id[i]]);
        buf_free(&asking->subjob[i].result);
    }
    for (size_t i = 0; i < countof(asking->request); i++)
        buf_free(&asking->request[i]);
}

/* ---- name servers ---- */

/* Do all addresses have these first bytes in common? IPv4 ones are in their mapped form. */
static bool is_one_network(const struct addresses *addresses)
{
    const uint8_t *first[2] = { NULL, NULL };
    for (size_t i = 0; i < addresses->count; i++) {
        const struct in6_addr *address = &addresses->item[i];
        bool is_v4 = IN6_IS_ADDR_V4MAPPED(address);
        size_t bytes = is_v4 ? 15 : 6; /* a /24, a /48 */
        if (first[is_v4] && memcmp(first[is_v4], address->s6_addr, bytes) != 0)
            return false;
        first[is_v4] = address->s6_addr;
    }
    return addresses->count > 0;
}

static void find_servers(const struct job *job, const cJSON *zone, int64_t deadline_ms,
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

/* ---- the tool ---- */

static void answer_page(const struct job *job, const cJSON *result)
{
    scoped(paper_free) struct paper paper = PAPER;
    const char *url = json_text(result, "/final_url");
    paper_begin(&paper, "Website audit", url ? url : json_text(result, "/url"),
                json_text(result, "/scanned_at"));
    website_page(result, &paper);
    paper_answer(&paper, job, "website-audit");
}

bool website_audit(const struct job *job, cJSON *result, struct err *err)
{
    int64_t begin_ms = clock_ms();
    int64_t deadline_ms = deadline_within(job->deadline_ms, CALL_MS) - LAST_MS;
    scoped(site_audit_free) struct site_audit audit = { .now_ms = job->now_ms };
    scoped(own_parts_free) struct own_parts own = { 0 };
    scoped(target_free) struct target target = { 0 };
    struct asking asking = { 0 };

    if (!target_parse_url(arg_text(job, "url"), &target, err))
        return false;
    struct site site = site_of(job, &target);
    audit.url = target.url;
    read_sections(job, &audit);
    begin_asking(job, &audit, &site, deadline_ms, &asking);
    own_parts_make(job, deadline_ms, &audit, &own);
    end_asking(&asking, deadline_ms, &audit);
    if (audit.section[SECTION_DNS].status == SECTION_OK)
        find_servers(job, audit.section[SECTION_DNS].result, deadline_ms, &audit.servers);
    audit.duration_ms = clock_ms() - begin_ms;
    if (!site_audit_judge(&audit, err))
        return false;
    site_audit_write(&audit, result);
    if (strcmp(arg_str(job, "format"), "html") == 0)
        answer_page(job, result);
    return true;
}
