/* svc-email/dns/lookups.c - a request's DNS queries, sent in batches. */
#include "dns/lookups.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/deadline.h"

/* One query, chained in a bucket of a small hash table. */
struct entry {
    struct lookup lookup; /* first member: callers hold its address */
    struct dns_answer answer;
    bool is_asked;
    struct entry *next;
};

enum { BUCKETS = 256, NAME_OCTETS = 255 };

struct lookups {
    struct egress *egress;
    struct lookup_limits limits;
    struct arena arena;
    struct entry *bucket[BUCKETS];
    size_t count;
    size_t open_count;
    struct entry **open; /* entered and not sent, in order */
    size_t capacity;
    size_t kept_bytes;
    bool is_partial;
};

struct lookups *lookups_new(struct egress *egress, const struct lookup_limits *limits)
{
    struct lookups *lookups = mem_new(sizeof(*lookups));
    lookups->egress = egress;
    lookups->limits = *limits;
    return lookups;
}

void lookups_free(struct lookups **address)
{
    struct lookups *lookups = *address;
    if (!lookups)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct entry *entry = lookups->bucket[i]; entry; entry = entry->next)
            dns_answer_free(&entry->answer);
    mem_free(&lookups->open);
    arena_free(&lookups->arena);
    mem_free(address);
}

/* ---- enter ---- */

/* In lower case and without a final dot; the root stays ".". */
static char *canonical_name(struct arena *arena, const char *name)
{
    size_t size = strlen(name);
    bool is_escaped = size >= 2 && name[size - 2] == '\\';
    if (size > 1 && name[size - 1] == '.' && !is_escaped)
        size--;
    return arena_lower(arena, (struct text){ name, size });
}

static size_t bucket_of(const char *name, uint16_t type)
{
    size_t hash = 5381 + type; /* djb2: there are few names, and a customer cannot easily choose
                                * them */
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash % BUCKETS;
}

static bool is_name(const char *name)
{
    scoped(buf_free) struct buf octets = BUF(NAME_OCTETS);
    return dns_add_name(&octets, text_of(name));
}

static struct entry *find_entry(const struct lookups *lookups, const char *name, uint16_t type)
{
    struct entry *entry = lookups->bucket[bucket_of(name, type)];
    while (entry && (entry->lookup.type != type || strcmp(entry->lookup.name, name) != 0))
        entry = entry->next;
    return entry;
}

static void set_status(struct entry *entry, enum lookup_status status)
{
    entry->is_asked = true;
    entry->lookup.status = status;
}

static void add_open(struct lookups *lookups, struct entry *entry)
{
    if (lookups->open_count == lookups->capacity) {
        lookups->capacity = lookups->capacity ? 2 * lookups->capacity : 64;
        lookups->open = mem_resize(lookups->open, lookups->capacity * sizeof(struct entry *));
    }
    lookups->open[lookups->open_count++] = entry;
}

static struct entry *enter_query(struct lookups *lookups, const char *raw, uint16_t type)
{
    const char *name = canonical_name(&lookups->arena, raw);
    struct entry *entry = find_entry(lookups, name, type);
    if (entry)
        return entry;
    struct entry **bucket = &lookups->bucket[bucket_of(name, type)];
    entry = arena_get(&lookups->arena, sizeof(*entry));
    *entry = (struct entry){
        .lookup = { .name = name,
                    .type = type,
                    .status = LOOKUP_OPEN,
                    .owner = name,
                    .message = &entry->answer.message },
        .next = *bucket,
    };
    *bucket = entry;
    if (!is_name(name)) {
        set_status(entry, LOOKUP_NXDOMAIN);
    } else if (lookups->count == lookups->limits.questions) {
        set_status(entry, LOOKUP_TIMEOUT);
        lookups->is_partial = true;
    } else {
        lookups->count++;
        add_open(lookups, entry);
    }
    return entry;
}

void lookups_add(struct lookups *lookups, const char *name, uint16_t type)
{
    enter_query(lookups, name, type);
}

/* ---- send ---- */

static enum lookup_status status_of(const struct dns_answer *answer, size_t count)
{
    if (answer->status == DNS_TIMEOUT)
        return LOOKUP_TIMEOUT;
    if (answer->status == DNS_ERROR)
        return LOOKUP_BADREPLY;
    switch (answer->message.rcode) {
    case DNS_NOERROR:
        return count > 0 ? LOOKUP_ANSWER : LOOKUP_NODATA;
    case DNS_NXDOMAIN:
        return LOOKUP_NXDOMAIN;
    case DNS_REFUSED:
        return LOOKUP_REFUSED;
    default:
        return LOOKUP_SERVFAIL;
    }
}

static size_t data_bytes(const struct dns_message *message)
{
    size_t bytes = 0;
    for (size_t i = 0; i < message->answer_count; i++)
        bytes += message->answer[i].rdata.size;
    return bytes;
}

/* Drop an answer if it exceeds the size limit. */
static void check_size(struct lookups *lookups, struct dns_answer *answer)
{
    size_t bytes = data_bytes(&answer->message);
    if (lookups->kept_bytes + bytes <= LOOKUPS_KEPT_BYTES) {
        lookups->kept_bytes += bytes;
        return;
    }
    dns_answer_free(answer);
    answer->status = DNS_ERROR;
    lookups->is_partial = true;
}

static void take_answer(struct lookups *lookups, struct entry *entry)
{
    struct lookup *lookup = &entry->lookup;
    check_size(lookups, &entry->answer);
    const struct dns_question question = { lookup->name, lookup->type };
    const char *owner;
    size_t count = dns_follow(lookup->message, &question, &owner);
    set_status(entry, status_of(&entry->answer, count));
    lookup->is_authenticated = lookup->message->is_authenticated;
    lookup->owner = owner;
    lookup->count = lookup->status == LOOKUP_ANSWER ? count : 0;
}

/* Send at most DNS_QUESTIONS_MAX, each for the time of one try. */
static void query_batch(struct lookups *lookups, struct entry **entries, size_t count)
{
    struct dns_question questions[DNS_QUESTIONS_MAX];
    struct dns_answer answers[DNS_QUESTIONS_MAX];
    int64_t deadline_ms = deadline_within(lookups->limits.deadline_ms, lookups->limits.question_ms);
    for (size_t i = 0; i < count; i++)
        questions[i] = (struct dns_question){ entries[i]->lookup.name, entries[i]->lookup.type };
    bool has_time = deadline_left_ms(lookups->limits.deadline_ms) >= lookups->limits.question_ms;
    bool ok = dns_query(lookups->egress, questions, count, deadline_ms, answers, NULL);
    (void)ok; /* each answer has its own status */
    for (size_t i = 0; i < count; i++) {
        dns_answer_free(&entries[i]->answer);
        entries[i]->answer = answers[i];
        entries[i]->lookup.had_its_time = has_time;
        take_answer(lookups, entries[i]);
    }
}

/* Move the queries that are worth a retry to the front. Returns their number. */
static size_t keep_unanswered(struct entry **entries, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        enum lookup_status status = entries[i]->lookup.status;
        if (status == LOOKUP_TIMEOUT || status == LOOKUP_SERVFAIL)
            entries[kept++] = entries[i];
    }
    return kept;
}

static void run_batch(struct lookups *lookups, struct entry **entries, size_t count)
{
    for (int try = 0; try < lookups->limits.tries && count > 0; try++) {
        if (deadline_left_ms(lookups->limits.deadline_ms) == 0) {
            lookups->is_partial = true;
            break;
        }
        query_batch(lookups, entries, count);
        count = keep_unanswered(entries, count);
    }
}

bool lookups_run(struct lookups *lookups)
{
    bool has_any = lookups->open_count > 0;
    for (size_t i = 0; i < lookups->open_count; i++)
        set_status(lookups->open[i], LOOKUP_TIMEOUT);
    for (size_t i = 0; i < lookups->open_count; i += DNS_QUESTIONS_MAX)
        run_batch(lookups, &lookups->open[i], MIN(lookups->open_count - i, DNS_QUESTIONS_MAX));
    lookups->open_count = 0;
    return has_any;
}

const struct lookup *lookup(struct lookups *lookups, const char *name, uint16_t type)
{
    struct entry *entry = enter_query(lookups, name, type);
    if (!entry->is_asked)
        lookups_run(lookups);
    return &entry->lookup;
}

const struct lookup *lookup_known(struct lookups *lookups, const char *name, uint16_t type)
{
    return &enter_query(lookups, name, type)->lookup;
}

size_t lookups_count(const struct lookups *lookups)
{
    return lookups->count;
}

bool lookups_are_partial(const struct lookups *lookups)
{
    return lookups->is_partial;
}

/* ---- answers ---- */

const struct dns_record *lookup_record(const struct lookup *lookup, size_t which)
{
    const struct dns_message *message = lookup->message;
    for (size_t i = 0; i < message->answer_count; i++) {
        const struct dns_record *record = &message->answer[i];
        if (record->type == lookup->type && dns_same_name(record->name, lookup->owner) &&
            which-- == 0)
            return record;
    }
    return NULL;
}

void lookup_text(const struct lookup *lookup, size_t which, struct buf *text)
{
    const struct dns_record *record = lookup_record(lookup, which);
    for (size_t i = 0; record && i < record->string_count; i++)
        buf_add(text, record->string[i].bytes, record->string[i].size);
}

void lookup_addresses(const struct lookup *lookup, struct addresses *addresses)
{
    for (size_t i = 0; i < lookup->count; i++)
        addresses_add(addresses, &lookup_record(lookup, i)->address);
}

const char *const lookup_status_names[] = {
    [LOOKUP_ANSWER] = "NOERROR",
    [LOOKUP_NODATA] = "no data",
    [LOOKUP_NXDOMAIN] = "NXDOMAIN",
    [LOOKUP_SERVFAIL] = "SERVFAIL",
    [LOOKUP_REFUSED] = "REFUSED",
    [LOOKUP_TIMEOUT] = "no answer in time",
    [LOOKUP_BADREPLY] = "an invalid answer",
    [LOOKUP_OPEN] = "not queried",
};
