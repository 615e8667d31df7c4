/* common/net/egress.c - outbound access of the process. */
#include "net/egress.h"

#include <curl/curl.h>
#include <openssl/x509.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/log.h"
#include "net/dns/resolvers.h"
#include "net/egress-filter.h"

/*
 * Debian's package ca-certificates has a folder with the certificates, each named by the hash of
 * its subject and loaded on first use, and one file with all of them.
 */
#define SYSTEM_FOLDER      "/etc/ssl/certs"
#define SYSTEM_AUTHORITIES SYSTEM_FOLDER "/ca-certificates.crt"

/*
 * libcurl loads GnuTLS for protocols that are not used here. GnuTLS calls this function at load
 * time (GNUTLS_SKIP_GLOBAL_INIT of gnutls/gnutls.h): true skips its start, which takes half a
 * megabyte.
 */
int _gnutls_global_init_skip(void); /* NOLINT(bugprone-reserved-identifier) */
int _gnutls_global_init_skip(void)  /* NOLINT(bugprone-reserved-identifier) */
{
    return 1;
}

struct egress {
    struct egress_filter filter;
    bool asks_system;
    char *agent;
    char *browser_agent;
    X509_STORE *trust;
    struct public_suffixes *suffixes;
    struct resolvers *resolvers;
    struct memory_budget bodies;
    struct memory_budget work;
    struct memory_trim *trim; /* job threads have a lower priority */
};

static void free_store(X509_STORE **store)
{
    X509_STORE_free(*store);
    *store = NULL;
}

/* The system's authorities and those in the file that the key names. */
static bool load_trust(const struct conf *conf, const char *key, X509_STORE **trust,
                       struct err *err)
{
    scoped(free_store) X509_STORE *store = X509_STORE_new();
    const char *file = conf_str(conf, key);
    if (access(SYSTEM_AUTHORITIES, R_OK) != 0 || X509_STORE_load_path(store, SYSTEM_FOLDER) != 1)
        return err_set(err, ERR_INVALID_VALUE, "%s cannot be read; install ca-certificates",
                       SYSTEM_AUTHORITIES);
    if (*file && X509_STORE_load_file(store, file) != 1)
        return err_set(err, ERR_INVALID_VALUE, "%s: %s has no certificate that can be read", key,
                       file);
    *trust = take(store);
    return true;
}

static bool read_resolver(const struct conf *conf, bool *asks_system, struct err *err)
{
    const char *resolver = conf_str(conf, "egress.resolver");
    *asks_system = strcmp(resolver, "system") == 0;
    if (!*asks_system && strcmp(resolver, "doh") != 0)
        return err_set(err, ERR_INVALID_VALUE, "egress.resolver must be doh or system");
    return true;
}

static void make_agents(const struct conf *conf, struct egress *egress)
{
    const char *name = conf_str(conf, "egress.user_agent_name");
    const char *url = conf_str(conf, "egress.user_agent_url");
    egress->agent = str_format("%s/%s (+%s)", name, TOLLGATE_VERSION, url);
    egress->browser_agent =
        str_format("Mozilla/5.0 (compatible; %s/%s; +%s)", name, TOLLGATE_VERSION, url);
}

/* Each store of all authorities takes more than half a megabyte: use one if both are equal. */
static bool share_trust(const struct conf *conf, const struct egress *egress, X509_STORE **trust)
{
    if (strcmp(conf_str(conf, "egress.doh_ca_file"), conf_str(conf, "egress.ca_file")) != 0)
        return false;
    X509_STORE_up_ref(egress->trust);
    *trust = egress->trust;
    return true;
}

static bool open_resolvers(const struct conf *conf, struct egress *egress, struct err *err)
{
    scoped(free_store) X509_STORE *trust = NULL;
    return (share_trust(conf, egress, &trust) ||
            load_trust(conf, "egress.doh_ca_file", &trust, err)) &&
           resolvers_new(conf, egress->agent, &egress->filter, trust, &egress->resolvers, err);
}

static const char crowded[] = "too much data is being read from sites; retry later";

bool egress_open(const struct conf *conf, struct egress **result, struct err *err)
{
    scoped(egress_close) struct egress *egress = mem_new(sizeof(*egress));
    curl_global_init(CURL_GLOBAL_DEFAULT); /* counted and thread-safe since 7.84 */
    memory_budget_open(&egress->bodies, BODY_ROOM_BYTES, ROOM_FREE_BYTES, crowded);
    memory_budget_open(&egress->work, WORK_ROOM_BYTES, ROOM_FREE_BYTES, crowded);
    egress->trim = memory_trim_start();
    egress->bodies.trim = egress->work.trim = egress->trim;
    make_agents(conf, egress);
    if (!guard_read(conf, &egress->filter.guard, err) ||
        !read_resolver(conf, &egress->asks_system, err) ||
        !load_trust(conf, "egress.ca_file", &egress->trust, err) ||
        !public_suffixes_load(conf_str(conf, "data.psl_file"), &egress->suffixes, err) ||
        !open_resolvers(conf, egress, err))
        return false;
    if (egress->filter.guard.allow.count > 0)
        log_line(LOG_WARN, "egress.allow is set: customers can reach networks that are not public");
    *result = take(egress);
    return true;
}

void egress_close(struct egress **address)
{
    struct egress *egress = *address;
    if (!egress)
        return;
    resolvers_free(&egress->resolvers);
    public_suffixes_free(&egress->suffixes);
    free_store(&egress->trust);
    guard_free(&egress->filter.guard);
    memory_budget_close(&egress->bodies);
    memory_budget_close(&egress->work);
    memory_trim_stop(&egress->trim);
    mem_free(&egress->agent);
    mem_free(&egress->browser_agent);
    mem_free(address);
    curl_global_cleanup();
}

const struct guard *egress_guard(const struct egress *egress)
{
    return &egress->filter.guard;
}

const char *egress_agent(const struct egress *egress)
{
    return egress->agent;
}

const char *egress_browser_agent(const struct egress *egress)
{
    return egress->browser_agent;
}

X509_STORE *egress_trust(const struct egress *egress)
{
    return egress->trust;
}

const struct public_suffixes *egress_suffixes(const struct egress *egress)
{
    return egress->suffixes;
}

struct memory_budget *egress_body_budget(struct egress *egress)
{
    return &egress->bodies;
}

struct memory_budget *egress_work_budget(struct egress *egress)
{
    return &egress->work;
}

uint64_t egress_stray_count(const struct egress *egress)
{
    return egress->filter.stray_count;
}

struct egress_filter *egress_filter(struct egress *egress)
{
    return &egress->filter;
}

bool egress_asks_system(const struct egress *egress)
{
    return egress->asks_system;
}

struct resolvers *egress_resolvers(struct egress *egress)
{
    return egress->resolvers;
}
