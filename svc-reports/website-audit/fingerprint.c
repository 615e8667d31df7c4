/* svc-reports/website-audit/fingerprint.c - write, parse and compare fingerprints. */
#include "website-audit/fingerprint.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"

#define VERSION  "wa1"
#define ID_CHARS ASCII_ALNUM "._/-"

enum { ID_BYTES = 100, SCORE_MAX = 100 };

/* ---- ids ---- */

/* "tls/cert-expired", with a hyphen for every other character. */
static void add_id(const struct issue *issue, struct buf *out)
{
    scoped(buf_free) struct buf id = BUF(2 * ID_BYTES);
    buf_format(&id, "%s/%.*s", section_name(issue->section), ID_BYTES, issue->id);
    for (size_t i = 0; i < id.size; i++)
        buf_add_byte(out, strchr(ID_CHARS, buf_str(&id)[i]) ? buf_str(&id)[i] : '-');
}

/* ---- writing ---- */

void fingerprint_write(const struct site_audit *audit, const char *host, struct buf *out)
{
    buf_format(out, VERSION " %lld ", (long long)audit->now_ms);
    if (audit->score == SCORE_NONE)
        buf_add_str(out, "-");
    else
        buf_format(out, "%d", audit->score);
    buf_format(out, " %s ", host);
    for (enum section_id id = 0; id < SECTIONS; id++)
        buf_add_byte(out, audit->section[id].status == SECTION_OK ? '1' : '0');
    for (size_t i = 0; i < audit->issues.count; i++) {
        const struct issue *issue = &audit->issues.item[i];
        scoped(buf_free) struct buf id = BUF(2 * ID_BYTES);
        add_id(issue, &id);
        if (out->size + id.size + strlen(" c:") > FINGERPRINT_MAX_BYTES)
            return;
        buf_format(out, " %c:%s", severity_name(issue->severity)[0], buf_str(&id));
    }
}

/* ---- parsing ---- */

static bool read_score(struct text text, int *score)
{
    int64_t number = SCORE_NONE;
    bool ok = text_is(text, "-") || num_parse(text, SCORE_MAX, &number);
    *score = (int)number;
    return ok;
}

static bool read_issue(struct text text, struct fingerprint *fingerprint)
{
    if (text.size < 4 || text.bytes[1] != ':' || fingerprint->count == ISSUES_MAX)
        return false;
    struct text id = text_skip(text, 2);
    enum severity severity = 0;
    while (severity < SEVERITIES && severity_name(severity)[0] != text.bytes[0])
        severity++;
    if (severity == SEVERITIES || !text_is_made_of(id, ID_CHARS))
        return false;
    fingerprint->issue[fingerprint->count].severity = severity;
    fingerprint->issue[fingerprint->count++].id = id;
    return true;
}

static bool read_parts(struct text rest, struct fingerprint *fingerprint)
{
    struct text version = text_cut(&rest, ' ');
    struct text time = text_cut(&rest, ' ');
    struct text score = text_cut(&rest, ' ');
    fingerprint->host = text_cut(&rest, ' ');
    struct text sections = text_cut(&rest, ' ');
    if (!text_is(version, VERSION) || sections.size != SECTIONS ||
        !num_parse(time, INT64_MAX / 1000, &fingerprint->at_ms) ||
        !read_score(score, &fingerprint->score) || fingerprint->host.size == 0)
        return false;
    for (enum section_id id = 0; id < SECTIONS; id++)
        fingerprint->was_ok[id] = sections.bytes[id] == '1';
    while (rest.size > 0)
        if (!read_issue(text_cut(&rest, ' '), fingerprint))
            return false;
    return true;
}

bool fingerprint_read(struct text text, const char *host, struct fingerprint *fingerprint,
                      struct err *err)
{
    *fingerprint = (struct fingerprint){ 0 };
    if (!read_parts(text_trim(text), fingerprint))
        return err_set(err, ERR_INVALID_PREVIOUS,
                       "previous must be the fingerprint of an earlier report, unchanged");
    if (!text_is(fingerprint->host, host))
        return err_set(err, ERR_INVALID_PREVIOUS,
                       "previous is the fingerprint of another host: %.*s",
                       (int)MIN(fingerprint->host.size, 253U), fingerprint->host.bytes);
    return true;
}

/* ---- comparing ---- */

static bool had_issue(const struct fingerprint *before, struct text id)
{
    for (size_t i = 0; i < before->count; i++)
        if (text_equals(before->issue[i].id, id))
            return true;
    return false;
}

static void add_item(cJSON *list, struct text id, enum severity severity, const char *title)
{
    cJSON *item = json_item(list);
    scoped(mem_free) char *copy = str_format("%.*s", (int)id.size, id.bytes);
    json_str(item, "id", copy);
    json_str(item, "severity", severity_name(severity));
    if (title)
        json_str(item, "title", title);
}

static void write_score(cJSON *object, const char *name, int score)
{
    if (score == SCORE_NONE)
        json_null(object, name);
    else
        json_int(object, name, score);
}

/* A section that failed now says nothing about what it found before. */
static bool is_known_now(const struct site_audit *audit, struct text id)
{
    scoped(mem_free) char *name = str_format("%.*s", (int)id.size, id.bytes);
    name[strcspn(name, "/")] = '\0';
    enum section_id section = section_named(name);
    return section < SECTIONS && audit->section[section].status == SECTION_OK;
}

void fingerprint_compare(const struct fingerprint *before, const struct site_audit *audit,
                         cJSON *result)
{
    cJSON *changes = json_map(result, "changes");
    json_time(changes, "since", before->at_ms);
    write_score(changes, "score_before", before->score);
    cJSON *fresh = json_list(changes, "new");
    cJSON *fixed = json_list(changes, "fixed");
    scoped(buf_free) struct buf now = BUF(FINGERPRINT_MAX_BYTES * 16);
    buf_add_str(&now, " ");
    for (size_t i = 0; i < audit->issues.count; i++) {
        const struct issue *issue = &audit->issues.item[i];
        scoped(buf_free) struct buf id = BUF(2 * ID_BYTES);
        add_id(issue, &id);
        if (before->was_ok[issue->section] && !had_issue(before, buf_text(&id)))
            add_item(fresh, buf_text(&id), issue->severity, issue->title);
        buf_format(&now, "%s ", buf_str(&id));
    }
    for (size_t i = 0; i < before->count; i++) {
        struct text id = before->issue[i].id;
        scoped(mem_free) char *whole = str_format(" %.*s ", (int)id.size, id.bytes);
        if (!text_has(buf_text(&now), whole) && is_known_now(audit, id))
            add_item(fixed, id, before->issue[i].severity, NULL);
    }
}
