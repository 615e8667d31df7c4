/*
 * svc-reports/browser/browser.h - what a page is like in a browser, measured by the operator's
 * browser service (reports.browser_url, docs/operate/browser.md).
 *
 * The service's answer is as hostile as the page: browser/answer.h reads it.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdint.h>

#include "svc/job.h"

enum {
    BROWSER_RESERVE_MS = 8000, /* that a crawl leaves to the browser, if it is requested */
    BROWSER_MIN_MS = 2000,     /* less is not worth a start */
    BROWSER_MAX_MS = 15000,
};

/* How long may a crawl take that a visit by the browser follows? */
int64_t browser_crawl_deadline(const struct job *job, int64_t deadline_ms);

/*
 * Add the members `browser` and `screenshot` of a result. If the request asks for the browser, this
 * asks the service at `service` to visit url, until the deadline. An empty `service` means that the
 * operator runs no browser. `browser` reports whatever fails; the call succeeds.
 */
void browser_add(const struct job *job, const char *service, const char *url, int64_t deadline_ms,
                 cJSON *result);
