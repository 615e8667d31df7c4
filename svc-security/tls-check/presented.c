/* svc-security/tls-check/presented.c - certificates that a server presents. */
#include "presented.h"

#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "net/dial.h"
#include "net/egress.h"
#include "net/http/fetch.h"
#include "tls-check/scan/prober.h"

enum { OCSP_MS = 4000 };

/* ---- the handshake ---- */

bool presented_talk(const struct server *server, int fd, enum handshake_kind kind,
                    int64_t answer_ms, struct presented *presented, struct err *err)
{
    if (server->starttls && !starttls_run(fd, server->starttls,
                                          egress_session_until_ms(server->session, PROBE_TALK_MS)))
        return err_set(err, ERR_TARGET_TLS_FAILURE,
                       "the port is open, but does not offer TLS with STARTTLS over %s",
                       starttls_name(server->starttls));
    handshake(fd, server->host, kind, server->starttls ? HANDSHAKE_NO_ALPN : HANDSHAKE_HTTP,
              egress_session_until_ms(server->session, answer_ms), &presented->handshake);
    return true;
}

bool presented_connect(const struct server *server, enum handshake_kind kind, int64_t answer_ms,
                       struct presented *presented, struct err *err)
{
    scoped(dial_close) int fd = -1;
    return dial_address(server->session, &presented->address, server->port,
                        egress_session_until_ms(server->session, PROBE_CONNECT_MS), &fd, err) &&
           presented_talk(server, fd, kind, answer_ms, presented, err);
}

/* ---- the chain ---- */

void presented_take(struct presented *presented, struct text list)
{
    struct text der[CHAIN_MAX];
    size_t count = 0;

    presented->chain = take(presented->handshake.chain);
    while (!presented->chain && count < CHAIN_MAX && certificate_at(list, count).size > 0) {
        der[count] = certificate_at(list, count);
        count++;
    }
    if (count > 0)
        presented->chain = chain_new(der, count);
}

void presented_evaluate(const struct server *server, struct presented *presented)
{
    const struct egress *egress = egress_session_egress(server->session);
    struct x509_store_st *store = egress_trust(egress);
    struct facts *facts = &presented->facts;
    struct chain *chain = presented->chain;
    struct text staple = buf_text(&presented->handshake.staple);

    facts->certificate_count = chain ? chain_size(chain) : 0;
    if (!chain)
        return;
    for (size_t i = 0; i < facts->certificate_count; i++)
        facts->certificate[i] = chain_certificate(chain, i);
    facts->is_in_order = chain_is_in_order(chain);
    facts->extra_count = chain_extra_count(chain);
    facts->trust = chain_trust(chain, store, facts->now_s);
    facts->is_for_host = chain_is_for(chain, server->host, egress_suffixes(egress));
    facts->sct_count = MAX(presented->handshake.sct_count, facts->certificate[0]->sct_count);
    facts->has_staple = staple.size > 0;
    facts->revocation = REVOCATION_NOT_CHECKED;
    if (staple.size > 0)
        facts->revocation = chain_ocsp_read(chain, store, staple);
}

bool presented_is_same(const struct presented *a, const struct presented *b)
{
    return a->chain && b->chain &&
           strcmp(chain_certificate(a->chain, 0)->fingerprint,
                  chain_certificate(b->chain, 0)->fingerprint) == 0;
}

/* ---- revocation ---- */

void presented_query_ocsp(const struct server *server, struct presented *presented)
{
    static const char *const headers[] = { "Content-Type: application/ocsp-request",
                                           "Accept: application/ocsp-response", NULL };
    struct egress *egress = egress_session_egress(server->session);
    struct facts *facts = &presented->facts;
    const char *url = presented->chain ? chain_certificate(presented->chain, 0)->ocsp_url : NULL;
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress, egress_session_until_ms(server->session, OCSP_MS));
    scoped(buf_free) struct buf request = BUF(4096);
    scoped(target_free) struct target target = { 0 };
    scoped(fetch_free) struct fetch fetch = { 0 };
    struct fetch_options options = { .method = "POST",
                                     .headers = headers,
                                     .max_wire_bytes = HANDSHAKE_STAPLE_BYTES,
                                     .max_body_bytes = HANDSHAKE_STAPLE_BYTES };

    if (!url || (facts->has_staple && facts->revocation != REVOCATION_UNKNOWN) ||
        !chain_ocsp_request(presented->chain, &request))
        return;
    options.body = buf_text(&request);
    facts->revocation = REVOCATION_UNKNOWN;
    if (target_parse_url(text_of(url), &target, NULL) &&
        fetch_guarded(session, &target, &options, &fetch, NULL) &&
        fetch_last(&fetch)->status == 200)
        facts->revocation =
            chain_ocsp_read(presented->chain, egress_trust(egress), buf_text(&fetch.body));
}

void presented_free(struct presented *presented)
{
    handshake_free(&presented->handshake);
    chain_free(&presented->chain);
}
