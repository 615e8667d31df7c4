/*
 * browser/visit.h - one visit to a page: start a browser, load, measure, take a picture, run
 * axe-core, kill the browser.
 *
 * Bounded whatever the page does: by the deadline, by VISIT_BYTES and VISIT_CONNECTIONS, and by the
 * memory of the container.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdint.h>

#include "net/egress.h"

enum {
    VISIT_WIDTH = 1366, /* as static crawls assume */
    VISIT_HEIGHT = 768,
    VISIT_BYTES = 32 << 20,
    VISIT_CONNECTIONS = 400,
    VISIT_CONNECTIONS_AT_ONCE = 64,
    SCREENSHOT_BYTES = 300 << 10, /* of the WebP file */
};

struct visit_order {
    struct egress *egress;
    const char *program;           /* Chromium */
    const char *axe;               /* the source of axe-core; NULL: not installed */
    const char *url;               /* http or https */
    int64_t deadline_ms;           /* by clock_ms() */
    void (*on_end)(void *context); /* when its last connection has ended, after visit_run() */
    void *context;
};

/*
 * Add the members of the response: see docs/operate/browser.md. A page that fails is an answer, not
 * an error.
 */
void visit_run(const struct visit_order *order, cJSON *response);
