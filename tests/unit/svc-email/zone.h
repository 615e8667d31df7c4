/*
 * tests/unit/svc-email/zone.h - a DNS of a few lines, instead of dns_query(): link with
 * --wrap=dns_query.
 *
 * zone_of() takes a record a line: owner, type, data as in zone files. Instead of data a line may
 * have !SERVFAIL, !REFUSED, !TIMEOUT and !ERROR, with * for any type; "signed.com AD" means that
 * responses below it are authenticated:
 *
 *     zone_of("a.com MX 10 mx.a.com\n"
 *             "mx.a.com A 93.184.216.34\n"
 *             "b.com TXT !SERVFAIL\n"
 *             "c.com * !SERVFAIL\n"
 *             "signed.com AD\n");
 *
 * A name that has neither records nor names below it does not exist.
 */
#pragma once

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "net/dns.h"
#include "net/dns/json.h"
#include "text/json.h"

enum { ZONE_LINES_MAX = 400 };

struct zone_line {
    char owner[300], type[12];
    const char *data; /* ends with its line */
    size_t size;
};

static struct zone_line zone_line[ZONE_LINES_MAX];
static size_t zone_lines;
static atomic_size_t zone_questions; /* that were queried since zone_of() */

static void zone_of(const char *text)
{
    zone_lines = 0;
    zone_questions = 0;
    while (*text) {
        size_t size = strcspn(text, "\n");
        struct zone_line *line = &zone_line[zone_lines];
        int begin = 0;
        if (sscanf(text, "%299s %11s %n", line->owner, line->type, &begin) == 2) {
            line->data = text + begin;
            line->size = (size_t)begin < size ? size - (size_t)begin : 0;
            zone_lines++;
        }
        text += size + (text[size] == '\n');
    }
}

static bool zone_is_below(const char *name, const char *domain)
{
    size_t size = strlen(name);
    size_t tail = strlen(domain);
    return size >= tail && strcasecmp(name + size - tail, domain) == 0 &&
           (size == tail || name[size - tail - 1] == '.');
}

enum { ZONE_SPF = 99 }; /* goes as TXT, which its data resembles, and comes back as itself */

static int zone_type(const char *name)
{
    return strcmp(name, "TLSA") == 0  ? DNS_TLSA
           : strcmp(name, "SPF") == 0 ? ZONE_SPF
                                      : dns_type_of(name);
}

/* Instead of the whole response: "!SERVFAIL"; NULL: there are records. */
static const char *zone_failure(const char *name, uint16_t type)
{
    for (size_t i = 0; i < zone_lines; i++)
        if (zone_line[i].size > 0 && zone_line[i].data[0] == '!' &&
            (strcasecmp(zone_line[i].owner, name) == 0 ||
             (zone_line[i].owner[0] == '*' && zone_is_below(name, zone_line[i].owner + 2))) &&
            (zone_line[i].type[0] == '*' || zone_type(zone_line[i].type) == type))
            return zone_line[i].data + 1;
    return NULL;
}

static void zone_add(cJSON *answers, const char *name, const struct zone_line *line)
{
    scoped(mem_free) char *data = mem_dup(line->data, line->size);
    cJSON *item = json_item(answers);
    json_str(item, "name", name);
    json_int(item, "type", zone_type(line->type) == ZONE_SPF ? DNS_TXT : zone_type(line->type));
    json_int(item, "TTL", 300);
    json_str(item, "data", data);
}

static bool zone_has_name(const char *name)
{
    for (size_t i = 0; i < zone_lines; i++)
        if (zone_is_below(zone_line[i].owner, name))
            return true;
    return false;
}

static bool zone_fits(const struct zone_line *line, const char *name)
{
    return strcasecmp(line->owner, name) == 0 ||
           (line->owner[0] == '*' && !zone_has_name(name) && zone_is_below(name, line->owner + 2));
}

/* Add the records of a name and of what it is an alias of; false when a name does not exist. */
static bool zone_answer(cJSON *answers, const char *name, uint16_t type, int depth)
{
    bool exists = zone_has_name(name);
    for (size_t i = 0; i < zone_lines; i++) {
        const struct zone_line *line = &zone_line[i];
        if (!zone_fits(line, name))
            continue;
        exists = true;
        if (zone_type(line->type) == type)
            zone_add(answers, name, line);
        if (strcmp(line->type, "CNAME") != 0 || type == DNS_CNAME || depth > 9)
            continue;
        scoped(mem_free) char *target = mem_dup(line->data, line->size);
        zone_add(answers, name, line);
        return zone_answer(answers, target, type, depth + 1);
    }
    return exists;
}

static bool zone_is_signed(const char *name)
{
    for (size_t i = 0; i < zone_lines; i++)
        if (strcmp(zone_line[i].type, "AD") == 0 && zone_is_below(name, zone_line[i].owner))
            return true;
    return false;
}

static void zone_ask(const struct dns_question *question, struct dns_answer *answer)
{
    const char *failure = zone_failure(question->name, question->type);
    uint16_t asked = question->type == ZONE_SPF ? DNS_TXT : question->type;
    scoped(json_free) cJSON *message = json_object();
    scoped(buf_free) struct buf text = BUF(1 << 20);
    scoped(buf_free) struct buf wire = BUF(DNS_MESSAGE_BYTES);
    *answer = (struct dns_answer){ .status = DNS_ANSWERED };
    if (failure && strncmp(failure, "TIMEOUT", 7) == 0)
        answer->status = DNS_TIMEOUT;
    if (failure && strncmp(failure, "ERROR", 5) == 0)
        answer->status = DNS_ERROR;
    if (answer->status != DNS_ANSWERED)
        return;
    cJSON *questions = json_array();
    cJSON *answers = json_array();
    cJSON *item = json_item(questions);
    json_str(item, "name", question->name);
    json_int(item, "type", asked);
    bool exists = zone_answer(answers, question->name, question->type, 0);
    int rcode = exists ? DNS_NOERROR : DNS_NXDOMAIN;
    if (failure)
        rcode = strncmp(failure, "REFUSED", 7) == 0 ? DNS_REFUSED : DNS_SERVFAIL;
    json_int(message, "Status", rcode);
    json_bool(message, "TC", false);
    json_bool(message, "AD", zone_is_signed(question->name));
    json_add(message, "Question", questions);
    json_add(message, "Answer", failure ? json_array() : answers);
    if (failure)
        json_free(&answers);
    json_print(message, &text);
    if (!dns_json_to_wire(buf_text(&text), &wire) ||
        !dns_message_read(NULL, buf_text(&wire), question->name, asked, &answer->message, NULL))
        answer->status = DNS_ERROR;
    for (size_t i = 0; asked != question->type && i < answer->message.answer_count; i++)
        answer->message.answer[i].type = question->type;
}

bool __wrap_dns_query(struct egress *egress, const struct dns_question *questions, size_t count,
                      int64_t deadline_ms, struct dns_answer *answers, struct err *err);

bool __wrap_dns_query(struct egress *egress, const struct dns_question *questions, size_t count,
                      int64_t deadline_ms, struct dns_answer *answers, struct err *err)
{
    bool is_answered = count == 0;
    (void)egress, (void)deadline_ms;
    for (size_t i = 0; i < count; i++) {
        zone_ask(&questions[i], &answers[i]);
        is_answered |= answers[i].status == DNS_ANSWERED;
    }
    zone_questions += count;
    return is_answered || err_set(err, ERR_UPSTREAM_UNAVAILABLE, "nobody answered");
}
