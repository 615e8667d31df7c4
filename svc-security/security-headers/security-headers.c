/* svc-security/security-headers/security-headers.c - grade a site's security headers by the public
 * HTTP Observatory algorithm, with details for each header. */
#include <stdio.h>

#include "assess.h"
#include "base/codec/hex.h"
#include "base/codec/uuid.h"
#include "base/os/deadline.h"
#include "base/os/parallel.h"
#include "report.h"
#include "svc/args.h"
#include "tools.h"

enum {
    WHOLE_CALL_MS = 20000,
    PREFLIGHT_BYTES = 4096,
    LABEL_BYTES = 8,
};

const struct data_kind security_headers_data = {
    .name = "security headers",
    .load_configured = knowledge_load,
    .free = knowledge_free,
};

/* One URL (https or http) and its outcome. */
struct url_fetch {
    struct egress_session *session;
    struct target target;
    bool is_wanted;
    bool is_answered;
    struct fetch fetch;
    struct err err;
};

/* State of one call. */
struct call {
    struct target target;
    struct url_fetch form[2]; /* https, http */
    struct fetch preflight;
    bool has_preflight;
    char origin[64];
};

enum { HTTPS_FORM, HTTP_FORM };

static void visit_free(struct call *visit)
{
    target_free(&visit->target);
    for (size_t i = 0; i < countof(visit->form); i++) {
        target_free(&visit->form[i].target);
        fetch_free(&visit->form[i].fetch);
    }
    fetch_free(&visit->preflight);
}

/* ---- both URLs ---- */

static void fetch_form(void *item)
{
    static const struct fetch_options options = { .max_redirects = FETCH_REDIRECTS_MAX,
                                                  .keeps_cookies = true };
    struct url_fetch *form = item;
    if (form->is_wanted)
        form->is_answered =
            fetch_guarded(form->session, &form->target, &options, &form->fetch, &form->err);
}

/* A URL with a port is requested in its scheme only. */
static void fetch_forms(struct call *visit, struct egress_session *session)
{
    for (size_t i = 0; i < countof(visit->form); i++) {
        struct url_fetch *form = &visit->form[i];
        bool is_https = i == HTTPS_FORM;
        bool is_same = visit->target.is_https == is_https;
        form->session = session;
        form->is_wanted = is_same || !visit->target.has_other_port;
        if (is_same)
            target_with_path(&visit->target, visit->target.path, &form->target);
        else if (form->is_wanted)
            target_with_scheme(&visit->target, is_https, &form->target);
    }
    parallel(visit->form, countof(visit->form), sizeof(*visit->form), countof(visit->form),
             fetch_form);
}

/* A forbidden target in one URL is an error, whatever the other returns. If the memory budget did
 * not allow one fetch, the other alone is not enough. */
static bool check_responses(const struct call *visit, struct err *err)
{
    const struct url_fetch *asked = &visit->form[visit->target.is_https ? HTTPS_FORM : HTTP_FORM];
    bool is_answered = false;
    for (size_t i = 0; i < countof(visit->form); i++) {
        const struct url_fetch *form = &visit->form[i];
        is_answered |= form->is_answered;
        if (err_status(form->err.kind) == 400 || form->err.kind == ERR_OVERLOADED)
            return err_set(err, form->err.kind, "%s", form->err.message);
    }
    return is_answered || err_set(err, asked->err.kind, "%s", asked->err.message);
}

/* ---- other origins ---- */

/* A random origin that no allow-list can contain. */
static void make_random_origin(struct call *visit)
{
    char label[2 * LABEL_BYTES + 1];
    struct uuid uuid = uuid_new();
    hex_encode(label, uuid.bytes + UUID_BYTES - LABEL_BYTES, LABEL_BYTES);
    snprintf(visit->origin, sizeof(visit->origin), "https://%s.example", label);
}

static void send_preflight(struct call *visit, struct egress_session *session,
                           const struct target *target)
{
    char origin_line[sizeof(visit->origin) + 16];
    const char *const lines[] = { origin_line, "Access-Control-Request-Method: GET", NULL };
    const struct fetch_options options = { .method = "OPTIONS",
                                           .headers = lines,
                                           .max_wire_bytes = PREFLIGHT_BYTES,
                                           .max_body_bytes = PREFLIGHT_BYTES };
    snprintf(origin_line, sizeof(origin_line), "Origin: %s", visit->origin);
    visit->has_preflight = fetch_guarded(session, target, &options, &visit->preflight, NULL);
}

/* ---- the tool ---- */

static void describe_visit(const struct call *visit, struct responses *responses)
{
    const struct url_fetch *https = &visit->form[HTTPS_FORM];
    const struct url_fetch *http = &visit->form[HTTP_FORM];
    *responses = (struct responses){
        .https = https->is_answered ? &https->fetch : NULL,
        .http = http->is_answered ? &http->fetch : NULL,
        .http_loops = http->err.kind == ERR_TOO_MANY_REDIRECTS,
        .preflight = visit->has_preflight ? fetch_last(&visit->preflight) : NULL,
        .origin = visit->origin,
    };
}

bool security_headers(const struct job *job, cJSON *result, struct err *err)
{
    scoped(visit_free) struct call visit = { 0 };
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(job->egress, deadline_within(job->deadline_ms, WHOLE_CALL_MS));
    struct assessment assessment;
    struct responses responses;

    if (!target_parse_url(arg_text(job, "url"), &visit.target, err))
        return false;
    fetch_forms(&visit, session);
    if (!check_responses(&visit, err))
        return false;
    make_random_origin(&visit);
    describe_visit(&visit, &responses);
    send_preflight(&visit, session,
                   &fetch_last(responses.https ? responses.https : responses.http)->target);
    describe_visit(&visit, &responses);
    assess(&responses, job->data, egress_suffixes(job->egress), &assessment);
    assessment_print(&assessment, visit.target.url, job->now_ms, result);
    assessment_free(&assessment);
    return true;
}
