/*
 * portal/page/answer.h - the response of a visit: a page, a redirect or an error page.
 *
 * Each response has headers that forbid other sites to embed it and the page to load anything from
 * them: Content-Security-Policy, nosniff, a same-origin referrer, no-store.
 */
#pragma once

#include "base/err.h"
#include "portal/page/visit.h"

/*
 * Render a template ("entry/sign-in") with its model, which is taken over (NULL: an empty one).
 * Added to it: member {email, name} if signed in, csrf, contact, terms_url, privacy_url, done (the
 * sentence of ?done=), errors with has_errors, here_<area>, asset_css, asset_js, asset_pico,
 * has_payments, has_oauth.
 */
void page_show(struct visit *visit, int status, const char *template, cJSON *model);

/* A new model with this title. */
cJSON *page_model(const char *title);

/* Render a template whose model is filled from the database, over one connection. Failures are
 * answered with an error page. If errors were added to the visit, status 200 becomes 400. */
typedef bool page_fill(struct visit *visit, struct sql *sql, cJSON *model, struct err *err);
void page_filled(struct visit *visit, int status, const char *template, const char *title,
                 page_fill *fill);

/* Redirect (303) to a path of the portal, or to the checkout page. done: a value of the list in
 * answer.c, or NULL. The next page then shows its sentence. */
void page_redirect(struct visit *visit, const char *path, const char *done);

/* A page with a heading and a sentence. retry_after_s 0: without Retry-After. */
void page_error(struct visit *visit, int status, const char *sentence, int64_t retry_after_s);

/* 404, for pages that do not exist and for those of another account. */
void page_not_found(struct visit *visit);

/* The error page of an error: 503 if the database does not respond or a limit is reached, otherwise
 * 500. Logged. */
void page_failed(struct visit *visit, const struct err *err);

/* A body of this content type. The caller fills response->body. */
void answer_plain(struct visit *visit, int status, const char *type);

/* A report made by a tool, for a frame of the tool's page (portal/playground/report.h). It has
 * its own policy, without scripts, forms and addresses. The caller fills response->body. */
void answer_report(struct visit *visit);
