/* portal/entry/mail-hosts.c - see mail-hosts.h. */
#include "portal/entry/mail-hosts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "net/dns.h"
#include "net/host.h"
#include "text/domains/public-suffix.h"
#include "text/json.h"
#include "text/names.h"
#include "text/yaml.h"

/* ---- the lists ---- */

struct lists {
    cJSON *tree; /* both sets point into it */
    struct names providers;
    struct names hosts;
};

struct mail_hosts {
    pthread_rwlock_t lock; /* guards lists, which a reload replaces */
    struct lists *lists;
    struct public_suffixes *suffixes;
};

static void lists_free(struct lists **address)
{
    struct lists *lists = *address;
    if (!lists)
        return;
    names_free(&lists->providers);
    names_free(&lists->hosts);
    json_free(&lists->tree);
    mem_free(address);
}

/* The position of an error: "FILE: providers: entry 3". */
struct place {
    const char *file;
    const char *list;
    size_t entry;
    struct err *err;
};

static bool reject_entry(const struct place *place, const char *what)
{
    return err_set(place->err, ERR_INVALID_VALUE, "%s: %s: entry %zu %s", place->file, place->list,
                   place->entry, what);
}

/* Is the name in the form that lookups use? */
static bool is_canonical(struct text name)
{
    char read[HOST_BYTES];
    return domain_parse(name, DOMAIN_PLAIN, read, NULL) && text_is(name, read);
}

static bool add_name(const struct place *place, const cJSON *item, struct names *names)
{
    struct text name = json_text_of(item);
    char what[HOST_BYTES + 80];
    const char *problem = !is_canonical(name)          ? "is not a domain in lower case"
                          : !names_add(names, 0, name) ? "is in the list twice"
                                                       : NULL;
    if (!problem)
        return true;
    snprintf(what, sizeof(what), "has \"%.*s\", which %s", HOST_BYTES,
             name.size > 0 ? name.bytes : "", problem);
    return reject_entry(place, what);
}

/* Read an entry: a name for readers of the file, and a list of domains or suffixes. */
static bool read_entry(const struct place *place, const cJSON *entry, const char *key,
                       struct names *names)
{
    const cJSON *list = json_get(entry, key);
    const cJSON *item;
    if (json_size(entry) != 2 || json_text_of(json_get(entry, "name")).size == 0 ||
        !json_is(list, cJSON_Array) || json_size(list) == 0) {
        char what[80];
        snprintf(what, sizeof(what), "must have a name and a list of %s, and nothing else", key);
        return reject_entry(place, what);
    }
    cJSON_ArrayForEach(item, list)
        if (!add_name(place, item, names))
            return false;
    return true;
}

static bool read_list(struct place place, const cJSON *tree, const char *key, struct names *names)
{
    const cJSON *list = json_get(tree, place.list);
    const cJSON *entry;
    if (!json_is(list, cJSON_Array) || json_size(list) == 0)
        return err_set(place.err, ERR_INVALID_VALUE, "%s: %s must be a list", place.file,
                       place.list);
    cJSON_ArrayForEach(entry, list) {
        place.entry++;
        if (!read_entry(&place, entry, key, names))
            return false;
    }
    return true;
}

static bool read_lists(const char *file, struct lists **made, struct err *err)
{
    scoped(lists_free) struct lists *lists = mem_new(sizeof(*lists));
    if (!yaml_load(file, &lists->tree, err))
        return false;
    if (json_size(lists->tree) != 2)
        return err_set(err, ERR_INVALID_VALUE,
                       "%s: must have providers and hosts, and nothing else", file);
    if (!read_list((struct place){ file, "providers", 0, err }, lists->tree, "domains",
                   &lists->providers) ||
        !read_list((struct place){ file, "hosts", 0, err }, lists->tree, "suffixes", &lists->hosts))
        return false;
    *made = take(lists);
    return true;
}

static bool load_lists(const struct conf *conf, struct lists **lists, struct err *err)
{
    const char *configured = conf_str(conf, "portal.mail_hosts_file");
    scoped(mem_free) char *ours =
        str_format("%s/mail-hosts.yaml", conf_str(conf, "portal.files_dir"));
    return read_lists(*configured ? configured : ours, lists, err);
}

bool mail_hosts_load(const struct conf *conf, struct mail_hosts **made, struct err *err)
{
    scoped(mail_hosts_free) struct mail_hosts *hosts = mem_new(sizeof(*hosts));
    pthread_rwlock_init(&hosts->lock, NULL);
    if (!load_lists(conf, &hosts->lists, err) ||
        !public_suffixes_load(conf_str(conf, "data.psl_file"), &hosts->suffixes, err))
        return false;
    *made = take(hosts);
    return true;
}

void mail_hosts_free(struct mail_hosts **hosts)
{
    if (!*hosts)
        return;
    lists_free(&(*hosts)->lists);
    public_suffixes_free(&(*hosts)->suffixes);
    pthread_rwlock_destroy(&(*hosts)->lock);
    mem_free(hosts);
}

bool mail_hosts_reload(struct mail_hosts *hosts, const struct conf *conf, struct err *err)
{
    struct lists *lists;
    if (!load_lists(conf, &lists, err))
        return false;
    pthread_rwlock_wrlock(&hosts->lock);
    struct lists *old = hosts->lists;
    hosts->lists = lists;
    pthread_rwlock_unlock(&hosts->lock);
    lists_free(&old);
    return true;
}

static bool is_provider(struct mail_hosts *hosts, const char *domain)
{
    uint32_t index;
    pthread_rwlock_rdlock(&hosts->lock);
    bool is_listed = names_find(&hosts->lists->providers, text_of(domain), &index);
    pthread_rwlock_unlock(&hosts->lock);
    return is_listed;
}

/* Is a host, or a name above it, in the list? The caller holds the lock. */
static bool is_public_host(const struct lists *lists, const char *host)
{
    uint32_t index;
    for (const char *name = host; name; name = strchr(name, '.')) {
        name += *name == '.';
        if (names_find(&lists->hosts, text_of(name), &index))
            return true;
    }
    return false;
}

/* ---- the keys ---- */

enum { KEY_BYTES = sizeof("address /48") + HOST_BYTES };

struct keys {
    size_t count;
    char item[MAIL_KEYS_MAX][KEY_BYTES];
    size_t network_count;
};

static bool has_key(const struct keys *keys, const char *key)
{
    for (size_t i = 0; i < keys->count; i++)
        if (strcmp(keys->item[i], key) == 0)
            return true;
    return false;
}

/* The limits of hosts and networks keep the count within MAIL_KEYS_MAX. */
static void add_key(struct keys *keys, const char *key)
{
    if (!has_key(keys, key))
        snprintf(keys->item[keys->count++], KEY_BYTES, "%s", key);
}

static void add_owner_key(const struct mail_hosts *hosts, struct keys *keys, const char *kind,
                          const char *name)
{
    char key[KEY_BYTES];
    const char *owner = public_suffix_owner(hosts->suffixes, name);
    snprintf(key, sizeof(key), "%s %s", kind, owner ? owner : name);
    add_key(keys, key);
}

static void add_many_key(struct keys *keys)
{
    add_key(keys, "host many-mail-hosts");
}

static void add_network_key(struct keys *keys, struct in6_addr address)
{
    struct host network;
    char key[KEY_BYTES];
    bool is_ipv4 = address_is_ipv4(&address);
    size_t kept_bytes = is_ipv4 ? 15 : 6; /* of 16: a /24 is the /120 of a mapped address */
    memset(address.s6_addr + kept_bytes, 0, sizeof(address.s6_addr) - kept_bytes);
    host_of_address(&address, &network);
    snprintf(key, sizeof(key), "address %s/%d", network.name, is_ipv4 ? 24 : 48);
    if (has_key(keys, key))
        return;
    if (keys->network_count == MAIL_NETWORKS_MAX) {
        add_many_key(keys);
        return;
    }
    keys->network_count++;
    add_key(keys, key);
}

static void add_network_keys(struct keys *keys, const struct addresses *addresses)
{
    for (size_t i = 0; i < addresses->count; i++)
        add_network_key(keys, addresses->item[i]);
    if (addresses->is_cut)
        add_many_key(keys);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* No key needs escaping: all names in them come from domain_parse(). */
static void write_keys(struct keys *keys, struct buf *out)
{
    qsort(keys->item, keys->count, KEY_BYTES, compare_keys);
    buf_add_byte(out, '{');
    for (size_t i = 0; i < keys->count; i++)
        buf_format(out, "%s\"%s\"", i > 0 ? "," : "", keys->item[i]);
    buf_add_byte(out, '}');
}

/* ---- DNS responses ---- */

/* What the responses say about the addresses of a name. */
enum presence { IS_THERE, IS_ABSENT, IS_UNKNOWN };

static bool is_answer(const struct dns_answer *answer)
{
    return answer->status == DNS_ANSWERED &&
           (answer->message.rcode == DNS_NOERROR || answer->message.rcode == DNS_NXDOMAIN);
}

/* Combine the responses for A and AAAA of one name. */
static enum presence read_addresses(const struct dns_question *questions,
                                    const struct dns_answer *answers, struct addresses *addresses)
{
    bool is_known = true;
    for (size_t i = 0; i < 2; i++) {
        if (is_answer(&answers[i]))
            dns_add_addresses(&answers[i].message, &questions[i], addresses);
        else
            is_known = false;
    }
    return addresses->count > 0 ? IS_THERE : is_known ? IS_ABSENT : IS_UNKNOWN;
}

/* The private hosts to look up, and what else the MX records contain. */
struct mx_hosts {
    size_t count;
    char name[MAIL_HOSTS_MAX][HOST_BYTES];
    bool has_more;   /* more private hosts than the array holds */
    bool has_public; /* a host that needs no lookup */
};

static int compare_preferences(const void *a, const void *b)
{
    const struct dns_record *one = *(const struct dns_record *const *)a;
    const struct dns_record *other = *(const struct dns_record *const *)b;
    if (one->priority != other->priority)
        return one->priority < other->priority ? -1 : 1;
    return strcmp(one->target, other->target);
}

static void add_host(const struct lists *lists, const char *target, struct mx_hosts *mx)
{
    char name[HOST_BYTES];
    /* Cloudflare has MX hosts with an underscore. */
    if (!domain_parse(text_of(target), DOMAIN_UNDERSCORE, name, NULL))
        return; /* for example "." of a null MX, an IP address, or invalid bytes */
    if (is_public_host(lists, name)) {
        mx->has_public = true;
        return;
    }
    for (size_t i = 0; i < mx->count; i++)
        if (strcmp(mx->name[i], name) == 0)
            return;
    if (mx->count == MAIL_HOSTS_MAX)
        mx->has_more = true;
    else
        memcpy(mx->name[mx->count++], name, sizeof(name));
}

/* Collect the hosts by preference. Returns the number of MX records, usable or not. */
static size_t read_mx(struct mail_hosts *hosts, const struct dns_question *question,
                      const struct dns_message *message, struct mx_hosts *mx)
{
    const char *owner;
    size_t count = dns_follow(message, question, &owner);
    scoped(mem_free) const struct dns_record **records = mem_array(count + 1, sizeof(*records));
    size_t found = 0;
    for (size_t i = 0; i < message->answer_count && found < count; i++)
        if (message->answer[i].type == DNS_MX && dns_same_name(message->answer[i].name, owner))
            records[found++] = &message->answer[i];
    qsort(records, found, sizeof(*records), compare_preferences);
    pthread_rwlock_rdlock(&hosts->lock);
    for (size_t i = 0; i < found; i++)
        add_host(hosts->lists, records[i]->target, mx);
    pthread_rwlock_unlock(&hosts->lock);
    return found;
}

/* ---- finding ---- */

/* The queries for one domain: its MX, A and AAAA first, then A and AAAA of each host. */
struct search {
    const char *domain;
    struct dns_question question[MAIL_QUESTIONS_MAX];
    struct dns_answer answer[MAIL_QUESTIONS_MAX];
    size_t asked;
    struct mx_hosts mx;
    struct keys keys;
};

enum { MX_QUESTION, DOMAIN_QUESTIONS, HOST_QUESTIONS = 3 };

static void search_free(struct search **address)
{
    if (!*address)
        return;
    for (size_t i = 0; i < (*address)->asked; i++)
        dns_answer_free(&(*address)->answer[i]);
    mem_free(address);
}

static void query_round(struct search *search, struct egress *egress, size_t count,
                        int64_t deadline_ms)
{
    size_t first = search->asked;
    bool ok = dns_query(egress, search->question + first, count, deadline_ms,
                        search->answer + first, NULL);
    (void)ok; /* each response has its own status */
    search->asked += count;
}

static void add_address_questions(struct dns_question *questions, const char *name)
{
    questions[0] = (struct dns_question){ name, DNS_A };
    questions[1] = (struct dns_question){ name, DNS_AAAA };
}

static enum mail_reach report_unknown(const struct search *search, struct err *why)
{
    err_set(why, ERR_UPSTREAM_UNAVAILABLE, "the DNS did not return the mail hosts of %s",
            search->domain);
    return MAIL_REACH_UNKNOWN;
}

static enum mail_reach report_no_mail(const struct search *search, const char *what,
                                      struct err *why)
{
    err_set(why, ERR_INVALID_DOMAIN, "%s %s", search->domain, what);
    return MAIL_REACHES_NOT;
}

/* A domain without MX records is its own mail host. Below a name that does not exist there is
 * nothing (RFC 8020), whatever the other responses are. */
static enum mail_reach classify_domain(struct mail_hosts *hosts, struct search *search,
                                       struct err *why)
{
    struct addresses addresses = { 0 };
    enum presence presence = read_addresses(search->question + DOMAIN_QUESTIONS,
                                            search->answer + DOMAIN_QUESTIONS, &addresses);
    if (presence == IS_UNKNOWN && search->answer[MX_QUESTION].message.rcode != DNS_NXDOMAIN)
        return report_unknown(search, why);
    if (presence != IS_THERE)
        return report_no_mail(search, "has neither MX records nor addresses", why);
    add_owner_key(hosts, &search->keys, "host", search->domain);
    add_network_keys(&search->keys, &addresses);
    return MAIL_REACHES;
}

static enum mail_reach classify_hosts(struct mail_hosts *hosts, struct search *search,
                                      struct err *why)
{
    const struct mx_hosts *mx = &search->mx;
    bool is_reached = mx->has_public;
    bool is_unknown = false;
    for (size_t i = 0; i < mx->count; i++) {
        size_t first = HOST_QUESTIONS + 2 * i;
        struct addresses addresses = { 0 };
        enum presence presence =
            read_addresses(search->question + first, search->answer + first, &addresses);
        is_reached |= presence == IS_THERE;
        is_unknown |= presence == IS_UNKNOWN;
        add_owner_key(hosts, &search->keys, "host", mx->name[i]);
        add_network_keys(&search->keys, &addresses);
    }
    if (mx->has_more)
        add_many_key(&search->keys);
    if (is_reached)
        return MAIL_REACHES;
    if (is_unknown)
        return report_unknown(search, why);
    return report_no_mail(search, "has MX records whose hosts do not exist", why);
}

static enum mail_reach run_search(struct mail_hosts *hosts, struct search *search,
                                  struct egress *egress, int64_t deadline_ms, struct err *why)
{
    const struct dns_answer *answer = &search->answer[MX_QUESTION];
    search->question[MX_QUESTION] = (struct dns_question){ search->domain, DNS_MX };
    add_address_questions(search->question + DOMAIN_QUESTIONS, search->domain);
    query_round(search, egress, HOST_QUESTIONS, deadline_ms);
    if (!is_answer(answer))
        return report_unknown(search, why);
    add_owner_key(hosts, &search->keys, "domain", search->domain);
    if (read_mx(hosts, &search->question[MX_QUESTION], &answer->message, &search->mx) == 0)
        return classify_domain(hosts, search, why);
    for (size_t i = 0; i < search->mx.count; i++)
        add_address_questions(search->question + HOST_QUESTIONS + 2 * i, search->mx.name[i]);
    if (search->mx.count > 0)
        query_round(search, egress, 2 * search->mx.count, deadline_ms);
    return classify_hosts(hosts, search, why);
}

enum mail_reach mail_hosts_find(struct mail_hosts *hosts, struct egress *egress, const char *domain,
                                int64_t deadline_ms, struct buf *keys, struct err *why)
{
    if (is_provider(hosts, domain)) {
        buf_add_str(keys, "{}");
        return MAIL_REACHES;
    }
    scoped(search_free) struct search *search = mem_new(sizeof(*search));
    search->domain = domain;
    if (!egress) {
        add_owner_key(hosts, &search->keys, "domain", domain);
        write_keys(&search->keys, keys);
        return MAIL_REACHES;
    }
    enum mail_reach reach = run_search(hosts, search, egress, deadline_ms, why);
    if (reach == MAIL_REACHES)
        write_keys(&search->keys, keys);
    return reach;
}
