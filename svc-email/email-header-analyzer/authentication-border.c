/* svc-email/email-header-analyzer/authentication-border.c - find the trust border, and mark the
 * results above it. */
#include <string.h>

#include "base/ascii.h"
#include "base/codec/cidr.h"
#include "base/num.h"
#include "email-header-analyzer/authentication-reading.h"

/* ---- receivers ---- */

static const struct {
    const char *receiver;
    const char *name;
} receiver_names[] = {
#define RECEIVER(receiver, name) { receiver, name },
#define NETWORK(receiver, network)
#include "email-header-analyzer/receivers.def"
#undef RECEIVER
#undef NETWORK
};

static const struct {
    const char *receiver;
    const char *network;
} receiver_networks[] = {
#define RECEIVER(receiver, name)
#define NETWORK(receiver, network) { receiver, network },
#include "email-header-analyzer/receivers.def"
#undef RECEIVER
#undef NETWORK
};

/* Whether the host is the name, or below it. */
static bool is_within(const char *host, const char *name)
{
    size_t host_bytes = strlen(host);
    size_t bytes = strlen(name);
    return host_bytes >= bytes && strcmp(host + host_bytes - bytes, name) == 0 &&
           (host_bytes == bytes || host[host_bytes - bytes - 1] == '.');
}

/* Whether a host without a domain has the part between hyphens. */
static bool has_part(const char *host, const char *part)
{
    size_t bytes = strlen(part);
    if (strchr(host, '.'))
        return false;
    for (const char *at = host; (at = strstr(at, part)); at++)
        if (at > host && at[-1] == '-' && (at[bytes] == '-' || at[bytes] == '\0'))
            return true;
    return false;
}

const char *auth_receiver_of(const char *host)
{
    for (size_t i = 0; i < countof(receiver_names); i++) {
        const char *name = receiver_names[i].name;
        if (strchr(name, '.') ? is_within(host, name) : has_part(host, name))
            return receiver_names[i].receiver;
    }
    return NULL;
}

bool auth_same_receiver(const struct senders *senders, const char *a, const char *b)
{
    const char *receiver = a && b ? auth_receiver_of(a) : NULL;
    const char *other = receiver ? auth_receiver_of(b) : NULL;
    return senders_related(senders, a, b) || (other && strcmp(receiver, other) == 0);
}

static bool is_in_network_of(const char *address, const char *host)
{
    const char *receiver = auth_receiver_of(host);
    struct in6_addr parsed;
    if (!receiver || !address_parse(text_of(address), &parsed))
        return false;
    for (size_t i = 0; i < countof(receiver_networks); i++) {
        struct cidr network;
        if (strcmp(receiver_networks[i].receiver, receiver) == 0 &&
            cidr_parse(text_of(receiver_networks[i].network), &network, NULL) &&
            cidr_has(&network, &parsed))
            return true;
    }
    return false;
}

/* ---- hosts ---- */

/* The host in lower case if its name says who runs it; NULL for a private name or an address. */
static const char *public_host(const char *host, struct arena *arena)
{
    static const char *const private_ends[] = { "internal", "local",    "localdomain", "lan",
                                                "intranet", "private",  "corp",        "home",
                                                "arpa",     "localhost" };
    const char *last = host ? strrchr(host, '.') : NULL;
    if (!host || strchr(host, ':'))
        return NULL;
    const char *lower = arena_lower(arena, text_of(host));
    if (!last)
        return auth_receiver_of(lower) ? lower : NULL;
    last = strrchr(lower, '.');
    return ascii_is_digit(last[1]) ||
                   text_is_among(text_of(last + 1), private_ends, countof(private_ends))
               ? NULL
               : lower;
}

/* ---- the border ---- */

/* Whether the receiver fetched the message from a mailbox: the client is then a server of the
 * receiver's. */
static bool is_fetch(const struct hop *hop)
{
    return hop->protocol &&
           (strcmp(hop->protocol, "POP3") == 0 || strcmp(hop->protocol, "IMAP") == 0);
}

/* Whether the message came in from outside the receiver by this hop. A client's own name proves
 * nothing: only a name that the server looked up, or the address, does. */
static bool is_entry(const struct hop *hop, const char *receiver, const struct senders *senders,
                     struct arena *arena)
{
    const char *from = public_host(hop->from, arena);
    if (!from)
        from = public_host(hop->helo, arena);
    if (!hop->from_ip)
        return from && !auth_same_receiver(senders, from, receiver);
    if (!hop->is_from_public)
        return false;
    const char *reverse = hop->is_reverse_doubtful ? NULL : public_host(hop->from_rdns, arena);
    if (reverse && auth_same_receiver(senders, reverse, receiver))
        return false;
    return !(from && receiver && auth_same_receiver(senders, from, receiver) &&
             is_in_network_of(hop->from_ip, from));
}

struct auth_border auth_find_border(const struct auth_hops *hops, const struct fields *fields,
                                    const struct senders *senders, struct arena *arena)
{
    struct auth_border border = { NULL, fields->count, fields->count };
    for (size_t i = 0; i < hops->count; i++) {
        const struct hop *hop = &hops->hop[hops->count - 1 - i];
        size_t field = hops->field[hops->count - 1 - i];
        const char *host = public_host(hop->by, arena);
        if (is_fetch(hop))
            continue;
        if (host && border.receiver && !auth_same_receiver(senders, border.receiver, host)) {
            border.field = border.entry_end = field;
            break;
        }
        if (!border.receiver)
            border.receiver = host;
        if (is_entry(hop, border.receiver, senders, arena)) {
            border.field = field;
            border.entry_end =
                i + 1 < hops->count ? hops->field[hops->count - 2 - i] : fields->count;
            break;
        }
    }
    return border;
}

/* ---- trusted fields ---- */

static bool is_same_id(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether the receiver may have written a result above the border. */
static bool is_of_receiver(const struct auth_result *result, const struct auth_border *border,
                           const struct senders *senders)
{
    return !border->receiver || !result->authserv_id || !strchr(result->authserv_id, '.') ||
           auth_same_receiver(senders, result->authserv_id, border->receiver);
}

static bool is_above(const struct auth_result *result, const struct auth_border *border)
{
    return result->arc_instance == 0 && result->field < border->field;
}

/* The first result above the border that the receiver may have written, otherwise the topmost one.
 * NULL: none. */
static const struct auth_result *first_above(const struct authentication *out,
                                             const struct auth_border *border,
                                             const struct senders *senders)
{
    const struct auth_result *top = NULL;
    for (size_t i = 0; i < out->result_count; i++) {
        const struct auth_result *result = &out->result[i];
        if (!is_above(result, border))
            continue;
        if (is_of_receiver(result, border, senders))
            return result;
        if (!top)
            top = result;
    }
    return top;
}

static bool is_like(const struct auth_result *result, const struct auth_result *first,
                    const struct senders *senders)
{
    return is_same_id(result->authserv_id, first->authserv_id) ||
           auth_same_receiver(senders, result->authserv_id, first->authserv_id);
}

/* iCloud and others write a field for each verifier, each under its own name. */
static void mark_above(struct authentication *out, const struct auth_result *first,
                       const struct auth_border *border, const struct senders *senders)
{
    bool by_receiver = border->receiver && is_of_receiver(first, border, senders);
    for (size_t i = 0; i < out->result_count; i++) {
        struct auth_result *result = &out->result[i];
        result->trusted =
            is_above(result, border) && (is_like(result, first, senders) ||
                                         (by_receiver && is_of_receiver(result, border, senders)));
    }
}

/* Whether servers write the field below their own Received field. Any other field there came with
 * the message. */
static bool is_trace(struct text name)
{
    static const char *const names[] = { "Received-SPF", "DKIM-Filter", "DMARC-Filter",
                                         "Return-Path", "Delivered-To" };
    return auth_is_results_field(name) || text_begins_any_case(name, "X-") ||
           text_begins_any_case(name, "ARC-") || text_is_among(name, names, countof(names));
}

size_t auth_trace_end(const struct fields *fields, const struct auth_border *border)
{
    size_t end = MIN(border->field + 1, fields->count);
    while (end < border->entry_end && is_trace(fields->at[end].name))
        end++;
    return end;
}

/* Whether a trusted field already has a result of this method. */
static bool repeats_method(const struct authentication *out, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (out->result[i].trusted && out->result[i].field != out->result[index].field &&
            strcmp(out->result[i].method, out->result[index].method) == 0)
            return true;
    return false;
}

/* Many receivers write their results below the Received field of the server that took the message,
 * and remove those that came with it. The first field that repeats a method is not theirs. */
static const struct auth_result *mark_below(struct authentication *out, const struct fields *fields,
                                            const struct auth_border *border,
                                            const struct senders *senders)
{
    size_t end = auth_trace_end(fields, border);
    const struct auth_result *first = NULL;
    for (size_t i = 0; i < out->result_count && border->receiver; i++) {
        struct auth_result *result = &out->result[i];
        if (result->arc_instance > 0 || result->field <= border->field || result->field >= end ||
            !auth_same_receiver(senders, result->authserv_id, border->receiver))
            continue;
        if (repeats_method(out, i))
            break;
        result->trusted = true;
        if (!first)
            first = result;
    }
    return first;
}

void auth_mark_trusted(struct authentication *out, const struct fields *fields,
                       const struct auth_border *border, const struct senders *senders)
{
    const struct auth_result *first = first_above(out, border, senders);
    if (first)
        mark_above(out, first, border, senders);
    else
        first = mark_below(out, fields, border, senders);
    for (size_t i = 0; i < out->result_count && !first; i++)
        out->has_untrusted |= out->result[i].arc_instance == 0;
    if (!first)
        return;
    out->source = AUTH_SOURCE_RESULTS;
    out->authserv_id = first->authserv_id;
    out->trusted = true;
}
