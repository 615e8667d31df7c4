/* portal/oauth/clients/documents.c - see documents.h. */
#include "portal/oauth/clients/documents.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "net/http/fetch.h"
#include "portal/base/places.h"
#include "portal/base/throttle.h"
#include "text/json.h"

enum {
    FETCHES_MAX = 8,
    FETCHES_OF_ACCOUNT = 1,
    FETCH_MS = 5000,
    KEY_TEXT_BYTES = 2 + 2 * CLIENT_KEY_BYTES + 1,
    NUMBER_BYTES = 24,
    KEYS_DEPTH = 8,
    KEYS_LIFE_S = 86400,
    KEYS_RETRY_S = 60, /* between two fetches for an unknown key */
    AGE_MAX_S = 86400,
};

struct documents {
    struct places *fetches;
};

struct documents *documents_new(void)
{
    struct documents *documents = mem_new(sizeof(*documents));
    documents->fetches = places_new(FETCHES_MAX, FETCHES_OF_ACCOUNT);
    return documents;
}

void documents_free(struct documents **documents)
{
    if (!*documents)
        return;
    places_free(&(*documents)->fetches);
    mem_free(documents);
}

/* ---- one fetch ---- */

/* What came back. DOCUMENT_BUSY: nothing that can be judged. */
struct fetched {
    struct buf body;
    int64_t age_s; /* its max-age; 0: none */
};

static void count_fetch(struct portal *portal, const struct target *target, const char *result)
{
    counter_add(metrics_counter(portal->metrics, "tollgate_oauth_fetch_total",
                                "Fetches of clients' documents and keys by result",
                                (struct labels){ "result", result }),
                1);
    log_line(LOG_INFO, "oauth fetch", log_str("server.address", target->host.name),
             log_str("outcome", result));
}

static bool is_json(const struct fetch *fetch)
{
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(fetch, type);
    struct text text = text_of(type);
    return text_is(text, "application/json") ||
           (text_begins(text, "application/") && text.size > strlen("+json") &&
            strcmp(type + text.size - strlen("+json"), "+json") == 0);
}

/* max-age of Cache-Control; any other value counts as 0. */
static int64_t read_age(const struct fetch *fetch)
{
    const char *header = fetch_header(fetch_last(fetch), "Cache-Control");
    struct text rest = text_of(header);
    int64_t age = 0;
    while (rest.size > 0) {
        struct text part = text_trim(text_cut(&rest, ','));
        if (text_begins_any_case(part, "max-age=") &&
            !num_parse(text_skip(part, strlen("max-age=")), AGE_MAX_S, &age))
            age = 0;
    }
    return age;
}

/* A server in trouble may soon be well again; anything else is its answer. */
static const char *judge(const struct fetch *fetch, bool *is_passing)
{
    int status = fetch_last(fetch)->status;
    *is_passing = status >= 500 || status == 408 || status == 425 || status == 429 ||
                  fetch->end == FETCH_BROKEN || fetch->end == FETCH_LATE;
    if (status != 200)
        return "must be there with status 200, without a redirect";
    if (!is_json(fetch))
        return "must have the content type application/json";
    if (fetch->end == FETCH_CUT)
        return "must have at most 10,240 bytes, and its key set 65,536";
    return fetch->end == FETCH_WHOLE ? NULL : "must arrive completely";
}

static enum document_result fetch_json(struct portal *portal, const struct target *target,
                                       size_t max_bytes, struct fetched *fetched, const char **why)
{
    static const char *const headers[] = { "Accept: application/json", NULL };
    struct fetch_options options = { .headers = headers,
                                     .must_verify = true,
                                     .max_wire_bytes = max_bytes,
                                     .max_body_bytes = max_bytes };
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(portal->egress, clock_ms() + FETCH_MS);
    scoped(mem_free) struct fetch *fetch = mem_new(sizeof(*fetch)); /* too large for a stack */
    struct err err = { 0 };
    bool is_passing = true;
    *why = NULL;
    if (fetch_guarded(session, target, &options, fetch, &err)) {
        *why = judge(fetch, &is_passing);
        fetched->age_s = read_age(fetch);
        buf_move(&fetched->body, &fetch->body);
    }
    fetch_free(fetch);
    bool is_found = !is_passing && !*why;
    count_fetch(portal, target, is_found ? "done" : *why && !is_passing ? "refused" : "failed");
    return is_found ? DOCUMENT_FOUND : *why && !is_passing ? DOCUMENT_BAD : DOCUMENT_BUSY;
}

/* Take one attempt to fetch from this host, or give it back: only failures count. */
static bool take_attempt(struct portal *portal, const char *account, const struct target *target)
{
    const struct throttle_key keys[] = { { THROTTLE_DOCUMENT_ACCOUNT, account },
                                         { THROTTLE_DOCUMENT_HOST, target->host.name } };
    struct err err = { 0 };
    int64_t retry_ms = 0;
    return throttle_take(portal, keys, countof(keys), &retry_ms, &err) && retry_ms == 0;
}

static void give_attempt(struct portal *portal, const char *account, const struct target *target)
{
    const struct throttle_key keys[] = { { THROTTLE_DOCUMENT_ACCOUNT, account },
                                         { THROTTLE_DOCUMENT_HOST, target->host.name } };
    throttle_give(portal, keys, countof(keys));
}

static enum document_result fetch_limited(struct portal *portal, const char *account,
                                          const struct target *target, size_t max_bytes,
                                          struct fetched *fetched, const char **why)
{
    enum document_result result = DOCUMENT_BUSY;
    if (!places_enter(portal->documents->fetches, account)) {
        count_fetch(portal, target, "limited");
        return result;
    }
    if (take_attempt(portal, account, target))
        result = fetch_json(portal, target, max_bytes, fetched, why);
    else
        count_fetch(portal, target, "limited");
    places_leave(portal->documents->fetches, account);
    return result;
}

/* ---- what is stored ---- */

struct stored {
    char key[KEY_TEXT_BYTES];
    cJSON *row; /* empty: nothing */
};

static const char stored_statement[] =
    "select document, fresh_until > ledger_now() as is_fresh,"
    "       fresh_until > ledger_now() - interval '1 day' as is_usable, keys,"
    "       extract(epoch from ledger_now() - keys_at)::bigint as keys_age_s"
    "  from oauth_document_read($1) where document is not null";

static bool read_stored(struct portal *portal, const char *id, struct stored *stored,
                        struct err *err)
{
    uint8_t key[CLIENT_KEY_BYTES];
    if (!client_key(id, key))
        return err_set(err, ERR_INTERNAL, "a client id has no key");
    snprintf(stored->key, sizeof(stored->key), "\\x");
    hex_encode(stored->key + 2, key, CLIENT_KEY_BYTES);
    json_free(&stored->row);
    stored->row = json_object();
    return pool_row(portal->pool, stored_statement, SQL_PARAMS(stored->key), stored->row, err);
}

static struct text stored_document(const struct stored *stored)
{
    return json_text_of(json_get(stored->row, "document"));
}

/* ---- documents ---- */

static void store_document(struct portal *portal, const struct target *target,
                           const struct fetched *fetched)
{
    struct err err = { 0 };
    char age[NUMBER_BYTES];
    snprintf(age, sizeof(age), "%lld", (long long)fetched->age_s);
    if (!pool_run(portal->pool, "select oauth_document_store($1, $2, $3)",
                  SQL_PARAMS(target->url, buf_str(&fetched->body), age), &err))
        log_line(LOG_WARN, "a client's document was not stored", log_str("error", err.message));
}

/* Fetch, judge and store it. */
static enum document_result renew_document(struct portal *portal, const char *account,
                                           const struct target *target, struct client *client,
                                           const char **why)
{
    struct fetched fetched = { .body = BUF(DOCUMENT_MAX_BYTES) };
    enum document_result result =
        fetch_limited(portal, account, target, DOCUMENT_MAX_BYTES, &fetched, why);
    if (result == DOCUMENT_FOUND) {
        *why = document_read(portal, target, buf_text(&fetched.body), client);
        result = *why ? DOCUMENT_BAD : DOCUMENT_FOUND;
    }
    if (result == DOCUMENT_FOUND) {
        give_attempt(portal, account, target);
        store_document(portal, target, &fetched);
    }
    buf_free(&fetched.body);
    return result;
}

static enum document_result read_document(struct portal *portal, const struct target *target,
                                          const struct stored *stored, struct client *client,
                                          const char **why)
{
    *client = (struct client){ 0 };
    *why = document_read(portal, target, stored_document(stored), client);
    return *why ? DOCUMENT_BAD : DOCUMENT_FOUND;
}

/* The stored one while it is fresh, else a new one, else the stored one for a day longer. */
static enum document_result find_document(struct portal *portal, const char *account,
                                          const struct target *target, struct client *client,
                                          const char **why)
{
    struct stored stored = { "", NULL };
    struct err err = { 0 };
    enum document_result result = DOCUMENT_BUSY;
    if (!read_stored(portal, target->url, &stored, &err))
        log_line(LOG_WARN, "a client's document was not read", log_str("error", err.message));
    else if (sql_is(stored.row, "is_fresh"))
        result = read_document(portal, target, &stored, client, why);
    else
        result = renew_document(portal, account, target, client, why);
    if (result == DOCUMENT_BUSY && sql_is(stored.row, "is_usable"))
        result = read_document(portal, target, &stored, client, why);
    json_free(&stored.row);
    return result;
}

enum document_result documents_find(struct portal *portal, const char *account, const char *id,
                                    struct client *client, const char **why)
{
    scoped(target_free) struct target target = { 0 };
    *why = NULL;
    if (!document_url_read(portal, id, &target))
        *why = "must be at an https URL with a path, in canonical spelling, on a public host";
    else if (!client_is_admitted(portal->conf, target.host.name))
        *why = "must be on a host that the operator of this server has listed";
    return *why ? DOCUMENT_BAD : find_document(portal, account, &target, client, why);
}

/* ---- keys ---- */

/* A client whose keys are needed. */
struct keyed {
    struct portal *portal;
    const char *account;
    struct target target;
    struct stored stored;
    cJSON *document;
    cJSON *keys;
};

static void free_keyed(struct keyed *keyed)
{
    target_free(&keyed->target);
    json_free(&keyed->stored.row);
    json_free(&keyed->document);
    json_free(&keyed->keys);
}

static bool parse_keys(struct text json, cJSON **keys)
{
    struct err err = { 0 };
    json_free(keys);
    return json_parse(json, KEYS_DEPTH, keys, &err) &&
           json_is(json_get(*keys, "keys"), cJSON_Array);
}

/* The stored document, renewed if it is not fresh. One that is gone serves for a day, so that a
 * mistake of its owner disconnects nobody at once. */
static bool load_document(struct keyed *keyed)
{
    scoped(mem_free) struct client *client = mem_new(sizeof(*client));
    struct err err = { 0 };
    const char *why = NULL;
    if (!read_stored(keyed->portal, keyed->target.url, &keyed->stored, &err))
        return false;
    if (!sql_is(keyed->stored.row, "is_fresh") &&
        renew_document(keyed->portal, keyed->account, &keyed->target, client, &why) ==
            DOCUMENT_FOUND &&
        !read_stored(keyed->portal, keyed->target.url, &keyed->stored, &err))
        return false;
    return sql_is(keyed->stored.row, "is_usable") &&
           json_parse(stored_document(&keyed->stored), KEYS_DEPTH, &keyed->document, &err);
}

static void store_keys(struct keyed *keyed, const struct fetched *fetched)
{
    struct err err = { 0 };
    if (!pool_run(keyed->portal->pool, "select oauth_keys_store($1, $2, $3)",
                  SQL_PARAMS(keyed->stored.key, json_text(keyed->stored.row, "/document"),
                             buf_str(&fetched->body)),
                  &err))
        log_line(LOG_WARN, "a client's keys were not stored", log_str("error", err.message));
}

static bool renew_keys(struct keyed *keyed, const struct target *place)
{
    struct fetched fetched = { .body = BUF(DOCUMENT_KEYS_MAX_BYTES) };
    const char *why = NULL;
    cJSON *keys = NULL;
    bool ok = fetch_limited(keyed->portal, keyed->account, place, DOCUMENT_KEYS_MAX_BYTES, &fetched,
                            &why) == DOCUMENT_FOUND &&
              parse_keys(buf_text(&fetched.body), &keys);
    if (ok) {
        give_attempt(keyed->portal, keyed->account, place);
        store_keys(keyed, &fetched);
        json_free(&keyed->keys);
        keyed->keys = take(keys);
    }
    json_free(&keys);
    buf_free(&fetched.body);
    return ok;
}

/* The stored keys, or new ones. A set that lacks the needed key is asked for again, but not for
 * each wrong kid. */
static bool load_keys(struct keyed *keyed, const struct target *place, documents_has_key *has_key,
                      const void *context)
{
    const cJSON *age = json_get(keyed->stored.row, "keys_age_s");
    struct text known = json_text_of(json_get(keyed->stored.row, "keys"));
    bool is_known = json_is(age, cJSON_Number) && age->valuedouble < KEYS_LIFE_S &&
                    parse_keys(known, &keyed->keys);
    if (is_known && (has_key(context, keyed->keys) || age->valuedouble < KEYS_RETRY_S))
        return true;
    return renew_keys(keyed, place);
}

static enum document_result find_keys(struct keyed *keyed, documents_has_key *has_key,
                                      const void *context)
{
    scoped(target_free) struct target place = { 0 };
    const cJSON *inside = NULL;
    if (!load_document(keyed))
        return DOCUMENT_BUSY;
    if (!document_keys_place(keyed->portal, &keyed->target, keyed->document, &inside, &place))
        return DOCUMENT_BAD;
    if (inside)
        keyed->keys = json_copy(inside);
    return inside || load_keys(keyed, &place, has_key, context) ? DOCUMENT_FOUND : DOCUMENT_BUSY;
}

enum document_result documents_keys(struct portal *portal, const char *account, const char *id,
                                    documents_has_key *has_key, const void *context, cJSON **keys)
{
    scoped(free_keyed) struct keyed keyed = { .portal = portal, .account = account };
    if (!document_url_read(portal, id, &keyed.target))
        return DOCUMENT_BAD;
    enum document_result result = find_keys(&keyed, has_key, context);
    if (result == DOCUMENT_FOUND)
        *keys = take(keyed.keys);
    return result;
}
