/* svc-email/blocklists/lists.c - read the lists strictly: a misread answer would accuse
 * someone of sending spam. */
#include "blocklists/lists.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/text.h"
#include "senders/data-file.h"
#include "text/json.h"
#include "text/yaml.h"

enum {
    HEALTH_KEPT_MS = 30 * 60 * 1000,
    SILENCE_KEPT_MS = 60 * 1000,
    TRIAL_MS = 10 * 1000, /* longer than a call takes */
    KEY_BYTES = 63,
    IPV4_BYTES = 16,
};
#define KEY_MARK "{key}"

static const char *const list_keys[] = { "id",         "name",    "zone",     "key_zone",  "kind",
                                         "full_host",  "terms",   "test",     "codes",     "bits",
                                         "not_listed", "refused", "category", "delist_url" };

/* ---- answers ---- */

static bool read_ipv4(struct text text, uint32_t *address)
{
    char written[IPV4_BYTES];
    struct in_addr read;
    if (text.size == 0 || text.size >= sizeof(written))
        return false;
    snprintf(written, sizeof(written), "%.*s", (int)text.size, text.bytes);
    if (inet_pton(AF_INET, written, &read) != 1)
        return false;
    *address = ntohl(read.s_addr);
    return *address >> 24 == 127;
}

/* "127.0.0.2" or "127.0.0.4-7" */
static bool read_range(const char *text, struct code *code)
{
    struct text last = text_of(text);
    struct text first = text_cut(&last, '-');
    int64_t number = 0;
    if (!read_ipv4(first, &code->first))
        return false;
    code->last = code->first;
    if (last.size == 0)
        return true;
    if (!num_parse(last, UINT8_MAX, &number))
        return false;
    code->last = (code->first & ~(uint32_t)UINT8_MAX) | (uint32_t)number;
    return code->last > code->first;
}

static bool read_codes(const struct source *source, const cJSON *node, const char *key,
                       bool is_listing, struct dnsbl *list)
{
    const cJSON *item;
    if (json_get(node, key) && !json_is(json_get(node, key), cJSON_Object))
        return source_reject(source, key, "must be a mapping");
    cJSON_ArrayForEach(item, json_get(node, key)) {
        if (list->code_count == CODES_MAX)
            return source_reject(source, key, "has too many answers");
        struct code *code = &list->code[list->code_count++];
        *code = (struct code){ .meaning = json_text_of(item).bytes, .is_listing = is_listing };
        if (!code->meaning || !read_range(item->string, code))
            return source_reject(source, item->string,
                                 "must be an address in 127/8 with its meaning");
    }
    return true;
}

static bool read_bits(const struct source *source, const cJSON *node, struct dnsbl *list)
{
    const cJSON *item;
    if (json_get(node, "bits") && !json_is(json_get(node, "bits"), cJSON_Object))
        return source_reject(source, "bits", "must be a mapping");
    cJSON_ArrayForEach(item, json_get(node, "bits")) {
        int64_t mask = 0;
        if (list->bit_count == BITS_MAX)
            return source_reject(source, "bits", "has too many");
        struct code *bit = &list->bit[list->bit_count++];
        *bit = (struct code){ .meaning = json_text_of(item).bytes, .is_listing = true };
        if (!bit->meaning || !num_parse(text_of(item->string), UINT8_MAX, &mask) || mask == 0 ||
            (mask & (mask - 1)) != 0)
            return source_reject(source, item->string,
                                 "must be a power of two up to 128 with its meaning");
        bit->first = (uint32_t)mask;
    }
    return true;
}

static bool read_refused(const struct source *source, const cJSON *node, struct dnsbl *list)
{
    const cJSON *item;
    if (json_size(json_get(node, "refused")) > REFUSED_MAX)
        return source_reject(source, "refused", "has too many addresses");
    cJSON_ArrayForEach(item, json_get(node, "refused"))
        if (!read_ipv4(json_text_of(item), &list->refused[list->refused_count++]))
            return source_reject(source, "refused", "must be addresses in 127/8");
    return true;
}

/* ---- a list ---- */

static bool read_text(const struct source *source, const cJSON *node, const char *key,
                      const char **text)
{
    struct text read = json_text_of(json_get(node, key));
    *text = read.bytes;
    return (read.size > 0 && strlen(read.bytes) == read.size) ||
           source_reject(source, key, "must be a text");
}

static bool is_zone(struct text zone)
{
    return zone.size < ZONE_BYTES && memchr(zone.bytes, '.', zone.size) &&
           text_is_made_of(zone, "abcdefghijklmnopqrstuvwxyz0123456789-.{}");
}

static bool read_kind(const struct source *source, const cJSON *node, struct dnsbl *list)
{
    static const char *const names[SUBJECTS] = { "ipv4", "ipv6", "domain" };
    const cJSON *item;
    size_t known = 0;
    cJSON_ArrayForEach(item, json_get(node, "kind"))
        for (size_t i = 0; i < SUBJECTS; i++)
            if (text_is(json_text_of(item), names[i])) {
                list->knows[i] = true;
                known++;
            }
    return (known > 0 && known == json_size(json_get(node, "kind"))) ||
           source_reject(source, "kind", "must be a list of ipv4, ipv6 and domain");
}

static bool read_test(const struct source *source, const cJSON *node, struct dnsbl *list)
{
    const cJSON *test = json_get(node, "test");
    list->test_listed = "test";
    list->test_clean = "invalid";
    if (!test)
        return true;
    list->test_listed = json_text(test, "/0");
    list->test_clean = json_text(test, "/1");
    return (json_size(test) == 2 && list->test_listed && list->test_clean) ||
           source_reject(source, "test", "must be two names");
}

/* Insert the key; without one the public zone remains. */
static bool read_key(const struct source *source, const cJSON *node, const cJSON *keys,
                     struct dnsbl *list)
{
    struct text key = json_text_of(json_get(keys, list->id));
    struct text template = json_text_of(json_get(node, "key_zone"));
    const char *mark = template.size > 0 ? strstr(template.bytes, KEY_MARK) : NULL;
    if (template.size > 0 && (!mark || !is_zone(template)))
        return source_reject(source, "key_zone", "must be a name that contains {key}");
    snprintf(list->query_zone, ZONE_BYTES, "%s", list->zone);
    if (key.size == 0)
        return true;
    if (!mark || key.size > KEY_BYTES || !text_is_made_of(key, ASCII_ALNUM "-"))
        return source_reject(source, "its key",
                             mark ? "must be letters, digits and hyphens" : "requires a key_zone");
    snprintf(list->query_zone, ZONE_BYTES, "%.*s%s%s", (int)(mark - template.bytes), template.bytes,
             key.bytes, mark + strlen(KEY_MARK));
    list->may_query = true;
    return true;
}

static bool read_list(struct source *source, const cJSON *node, const cJSON *keys,
                      struct dnsbls *lists)
{
    struct dnsbl *list = &lists->item[lists->count++];
    struct text terms = json_text_of(json_get(node, "terms"));
    if (!source_knows_keys(source, node, list_keys, countof(list_keys)) ||
        !read_text(source, node, "id", &list->id))
        return false;
    source->where = list->id;
    for (size_t i = 0; i + 1 < lists->count; i++)
        if (strcmp(lists->item[i].id, list->id) == 0)
            return source_reject(source, "id", "is a duplicate");
    if (!text_is(terms, "open") && !text_is(terms, "key"))
        return source_reject(source, "terms", "must be open or key");
    list->may_query = text_is(terms, "open");
    list->has_full_host = json_is(json_get(node, "full_host"), cJSON_True);
    list->delist_url = json_text(node, "/delist_url");
    if (!read_text(source, node, "name", &list->name) ||
        !read_text(source, node, "zone", &list->zone) ||
        !read_text(source, node, "category", &list->category))
        return false;
    if (!is_zone(text_of(list->zone)))
        return source_reject(source, "zone", "must be a name of two labels or more in lower case");
    return read_kind(source, node, list) && read_test(source, node, list) &&
           read_codes(source, node, "codes", true, list) &&
           read_codes(source, node, "not_listed", false, list) && read_bits(source, node, list) &&
           read_refused(source, node, list) && read_key(source, node, keys, list);
}

bool dnsbls_read(const char *file, const char *keys_file, struct dnsbls **result, struct err *err)
{
    scoped(dnsbls_free) struct dnsbls *lists = mem_new(sizeof(*lists));
    scoped(json_free) cJSON *keys = NULL;
    struct source source = { file, "it", err };
    const cJSON *node;
    pthread_mutex_init(&lists->mutex, NULL);
    if (*keys_file && !yaml_load(keys_file, &keys, err))
        return false;
    if (*keys_file && !json_is(keys, cJSON_Object))
        return err_set(err, ERR_INVALID_VALUE, "%s: must be a mapping of ids to keys", keys_file);
    if (!yaml_load(file, &lists->tree, err))
        return false;
    size_t count = json_size(lists->tree);
    if (!json_is(lists->tree, cJSON_Array) || count == 0 || count > LISTS_MAX)
        return source_reject(&source, "it", "must be a list of 1 to 100");
    lists->item = mem_array(count, sizeof(*lists->item));
    lists->checkups = mem_array(count, sizeof(*lists->checkups));
    lists->silent_until_ms = mem_array(count, sizeof(*lists->silent_until_ms));
    cJSON_ArrayForEach(node, lists->tree)
        if (!read_list(&source, node, keys, lists))
            return false;
    *result = take(lists);
    return true;
}

bool dnsbls_load(const struct conf *conf, const char *folder, struct dnsbls **lists,
                 struct err *err)
{
    const char *configured = conf_str(conf, "email.dnsbl_file");
    scoped(mem_free) char *ours = str_format("%s/blocklists/lists.yaml", folder);
    return dnsbls_read(*configured ? configured : ours, conf_str(conf, "email.dnsbl_keys_file"),
                       lists, err);
}

void dnsbls_free(void *address_of_pointer)
{
    struct dnsbls **address = address_of_pointer;
    struct dnsbls *lists = *address;
    if (!lists)
        return;
    json_free(&lists->tree);
    mem_free(&lists->item);
    mem_free(&lists->checkups);
    mem_free(&lists->silent_until_ms);
    pthread_mutex_destroy(&lists->mutex);
    mem_free(address);
}

/* ---- health ---- */

enum health dnsbls_health(struct dnsbls *lists, size_t which, enum list_subject subject)
{
    pthread_mutex_lock(&lists->mutex);
    struct checkup checkup = lists->checkups[which][subject];
    pthread_mutex_unlock(&lists->mutex);
    return clock_ms() < checkup.until_ms ? checkup.health : HEALTH_UNKNOWN;
}

void dnsbls_note_health(struct dnsbls *lists, size_t which, enum list_subject subject,
                        enum health health)
{
    pthread_mutex_lock(&lists->mutex);
    lists->checkups[which][subject] = (struct checkup){ health, clock_ms() + HEALTH_KEPT_MS };
    pthread_mutex_unlock(&lists->mutex);
}

/* ---- silence ---- */

bool dnsbls_may_query(struct dnsbls *lists, size_t which)
{
    int64_t now_ms = clock_ms();
    pthread_mutex_lock(&lists->mutex);
    int64_t *until_ms = &lists->silent_until_ms[which];
    bool may = now_ms >= *until_ms;
    if (may && *until_ms > 0)
        *until_ms = now_ms + TRIAL_MS; /* other jobs wait for the result of this one */
    pthread_mutex_unlock(&lists->mutex);
    return may;
}

void dnsbls_note_silence(struct dnsbls *lists, size_t which, bool is_silent)
{
    int64_t until_ms = is_silent ? clock_ms() + SILENCE_KEPT_MS : 0;
    pthread_mutex_lock(&lists->mutex);
    lists->silent_until_ms[which] = until_ms;
    pthread_mutex_unlock(&lists->mutex);
}
