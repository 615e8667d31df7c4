/*
 * portal/page/answer.h - how a visit ends: a page, a way on, or a page that says what is wrong.
 *
 * Every answer has the headers of a site that loads nothing from elsewhere and is shown by nobody
 * else: content security policy, no sniffing, same-origin referrers, no store.
 */
#pragma once

#include "base/err.h"
#include "portal/page/visit.h"

/*
 * Show a template ("entry/sign-in") with its model, which is taken over (NULL: an empty one).
 * Added to it: member {email, name} when somebody is signed in, csrf, contact, terms_url,
 * privacy_url, done (the sentence of ?done=), errors with has_errors, here_<area>, asset_css,
 * asset_js, asset_pico, has_payments.
 */
void page_show(struct visit *visit, int status, const char *template, cJSON *model);

/* An empty model with its title. */
cJSON *page_model(const char *title);

/* Show a template whose model the database fills, over one connection; what goes wrong is answered.
 * What was refused in the visit meanwhile makes a status of 200 one of 400. */
typedef bool page_fill(struct visit *visit, struct sql *sql, cJSON *model, struct err *err);
void page_filled(struct visit *visit, int status, const char *template, const char *title,
                 page_fill *fill);

/* Go on to a path of ours, or to the payment processor's page, by GET (303). done is a word of the
 * list in answer.c, whose sentence the page then shows; NULL: none. */
void page_redirect(struct visit *visit, const char *path, const char *done);

/* A page that has a heading and a sentence; retry_after_s 0: no Retry-After. */
void page_error(struct visit *visit, int status, const char *sentence, int64_t retry_after_s);

/* There is nothing here, or it is not yours: the same page for both. */
void page_not_found(struct visit *visit);

/* What went wrong below: 503 for a database that does not answer and for what is full, else 500,
 * which is logged. */
void page_failed(struct visit *visit, const struct err *err);

/* A body that is no page: type is its Content-Type. The caller fills response->body. */
void answer_plain(struct visit *visit, int status, const char *type);
