/* browser/visit.c - the steps of a visit. */
#include "visit.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"
#include "chromium.h"
#include "devtools.h"
#include "scripts.h"
#include "text/json.h"
#include "tunnels.h"

enum {
    LOAD_PERCENT = 60,  /* of the time that is left when the browser runs */
    SETTLE_MS = 2000,   /* after the load event: late paints and shifts */
    QUALITY_FIRST = 60, /* of WebP */
    QUALITY_LAST = 15,
};

struct visit {
    const struct visit_order *order;
    struct chromium chromium;
    struct devtools *devtools;
    struct tunnels *tunnels;
    char *frame;    /* id of the page's main frame */
    char *blank;    /* id of the loader of about:blank */
    bool is_loaded; /* the load event of the current document */
    bool has_moved; /* another document has replaced it */
    bool is_crashed;
    int64_t dialogs;
    int64_t context_id; /* of our isolated world */
};

/* ---- events ---- */

static bool is_text(const cJSON *tree, const char *pointer, const char *wanted)
{
    const char *text = json_text(tree, pointer);
    return text && wanted && strcmp(text, wanted) == 0;
}

static void on_lifecycle(struct visit *visit, const cJSON *params)
{
    if (!is_text(params, "/frameId", visit->frame) || is_text(params, "/loaderId", visit->blank))
        return;
    if (is_text(params, "/name", "init")) {
        visit->has_moved = true;
        visit->is_loaded = false;
    } else if (is_text(params, "/name", "load")) {
        visit->is_loaded = true;
    }
}

/* alert() and others would wait for a person. */
static void close_dialog(struct visit *visit, const cJSON *params)
{
    cJSON *command = json_object();
    json_bool(command, "accept", is_text(params, "/type", "beforeunload"));
    visit->dialogs++;
    devtools_send(visit->devtools, "Page.handleJavaScriptDialog", command);
}

static void on_event(void *context, const char *method, const cJSON *params)
{
    struct visit *visit = context;
    if (strcmp(method, "Page.lifecycleEvent") == 0)
        on_lifecycle(visit, params);
    else if (strcmp(method, "Page.javascriptDialogOpening") == 0)
        close_dialog(visit, params);
    else if (strcmp(method, "Inspector.targetCrashed") == 0)
        visit->is_crashed = visit->is_loaded = visit->has_moved = true;
}

/* ---- commands ---- */

static bool call(struct visit *visit, const char *method, cJSON *params, cJSON **result,
                 struct err *err)
{
    return devtools_call(visit->devtools, method, params, visit->order->deadline_ms, result, err);
}

/* A command with one text. */
static bool call_with(struct visit *visit, const char *method, const char *name, const char *value,
                      cJSON **result, struct err *err)
{
    cJSON *params = json_object();
    json_str(params, name, value);
    return call(visit, method, params, result, err);
}

static bool refuse_protocol(struct err *err, const char *what)
{
    return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the browser did not name %s", what);
}

/* ---- opening ---- */

static bool attach(struct visit *visit, struct err *err)
{
    scoped(json_free) cJSON *target = NULL;
    scoped(json_free) cJSON *session = NULL;
    cJSON *params = json_object();
    if (!call_with(visit, "Target.createTarget", "url", "about:blank", &target, err)) {
        json_free(&params);
        return false;
    }
    json_str(params, "targetId", json_text(target, "/targetId"));
    json_bool(params, "flatten", true);
    if (!call(visit, "Target.attachToTarget", params, &session, err))
        return false;
    devtools_set_session(visit->devtools, json_text(session, "/sessionId"));
    return json_text(session, "/sessionId") || refuse_protocol(err, "its session");
}

/* Sites must see who comes, and a browser without "Headless", which some of them block. */
static bool set_agent(struct visit *visit, struct err *err)
{
    static const char hidden[] = "Headless";
    scoped(json_free) cJSON *version = NULL;
    if (!call(visit, "Browser.getVersion", NULL, &version, err))
        return false;
    const char *agent = json_text(version, "/userAgent");
    const char *at = agent ? strstr(agent, hidden) : NULL;
    if (!at)
        return agent || refuse_protocol(err, "its version");
    scoped(mem_free) char *mine =
        str_format("%.*s%s %s", (int)(at - agent), agent, at + strlen(hidden),
                   egress_agent(visit->order->egress));
    return call_with(visit, "Emulation.setUserAgentOverride", "userAgent", mine, NULL, err);
}

static bool set_window(struct visit *visit, struct err *err)
{
    cJSON *params = json_object();
    json_int(params, "width", VISIT_WIDTH);
    json_int(params, "height", VISIT_HEIGHT);
    json_int(params, "deviceScaleFactor", 1);
    json_bool(params, "mobile", false);
    return call(visit, "Emulation.setDeviceMetricsOverride", params, NULL, err);
}

static bool find_frame(struct visit *visit, struct err *err)
{
    scoped(json_free) cJSON *tree = NULL;
    if (!call(visit, "Page.getFrameTree", NULL, &tree, err))
        return false;
    visit->frame = str_dup(json_text(tree, "/frameTree/frame/id"));
    visit->blank = str_dup(json_text(tree, "/frameTree/frame/loaderId"));
    return visit->frame || refuse_protocol(err, "its frame");
}

/* A command with one flag. */
static cJSON *flag(const char *name, bool value)
{
    cJSON *params = json_object();
    json_bool(params, name, value);
    return params;
}

static bool observe(struct visit *visit, struct err *err)
{
    cJSON *params = json_object();
    json_str(params, "source", script_observe);
    json_str(params, "worldName", SCRIPTS_WORLD);
    return call(visit, "Page.addScriptToEvaluateOnNewDocument", params, NULL, err);
}

/*
 * A bad certificate is ignored, as in the static crawl: the report says so from there, and this
 * browser has no secrets.
 */
static bool prepare(struct visit *visit, struct err *err)
{
    return call_with(visit, "Browser.setDownloadBehavior", "behavior", "deny", NULL, err) &&
           attach(visit, err) && set_agent(visit, err) &&
           call(visit, "Page.enable", NULL, NULL, err) &&
           call(visit, "Inspector.enable", NULL, NULL, err) && find_frame(visit, err) &&
           call(visit, "Page.setLifecycleEventsEnabled", flag("enabled", true), NULL, err) &&
           call(visit, "Security.setIgnoreCertificateErrors", flag("ignore", true), NULL, err) &&
           set_window(visit, err) && observe(visit, err);
}

/* ---- loading ---- */

static bool navigate(struct visit *visit, int64_t deadline_ms, struct err *err)
{
    scoped(json_free) cJSON *answer = NULL;
    cJSON *params = json_object();
    json_str(params, "url", visit->order->url);
    if (!devtools_call(visit->devtools, "Page.navigate", params, deadline_ms, &answer, err))
        return false;
    const char *problem = json_text(answer, "/errorText");
    return !problem || err_set(err, ERR_TARGET_UNREACHABLE,
                               "the browser could not load the page: %.100s", problem);
}

/* Wait for the load event, and for what comes after it, of the document that stays. */
static bool wait_for_load(struct visit *visit, int64_t deadline_ms, struct err *err)
{
    for (;;) {
        if (!devtools_wait(visit->devtools, &visit->is_loaded, deadline_ms, err))
            return false;
        if (!visit->is_loaded || visit->is_crashed)
            return true;
        visit->has_moved = false;
        if (!devtools_wait(visit->devtools, &visit->has_moved,
                           deadline_within(deadline_ms, SETTLE_MS), err))
            return false;
        if (!visit->has_moved)
            return true;
    }
}

static void end_script(struct visit *visit)
{
    devtools_send(visit->devtools, "Runtime.terminateExecution", NULL);
}

/* A page that has not loaded may run an endless script: end that, to measure what there is. */
static bool load(struct visit *visit, struct err *err)
{
    int64_t left_ms = deadline_left_ms(visit->order->deadline_ms);
    int64_t deadline_ms = clock_ms() + left_ms * LOAD_PERCENT / 100;
    if (!navigate(visit, deadline_ms, err) || !wait_for_load(visit, deadline_ms, err))
        return false;
    if (visit->is_crashed)
        return err_set(err, ERR_TARGET_BAD_RESPONSE,
                       "the page crashed the browser, or needs more memory than it may use");
    if (!visit->is_loaded) {
        end_script(visit);
        devtools_send(visit->devtools, "Page.stopLoading", NULL);
    }
    return true;
}

/* ---- measuring ---- */

/* Each step may take half of the time that is left, so that something is left for the others. */
static int64_t step_ms(const struct visit *visit)
{
    return deadline_left_ms(visit->order->deadline_ms) / 2;
}

static bool try_world(struct visit *visit, struct err *err)
{
    scoped(json_free) cJSON *answer = NULL;
    cJSON *params = json_object();
    json_str(params, "frameId", visit->frame);
    json_str(params, "worldName", SCRIPTS_WORLD);
    if (!devtools_call(visit->devtools, "Page.createIsolatedWorld", params,
                       clock_ms() + step_ms(visit), &answer, err))
        return false;
    visit->context_id = json_integer(answer, "executionContextId");
    return true;
}

/* Once more if a script of the page is still running. */
static bool enter_world(struct visit *visit, struct err *err)
{
    if (try_world(visit, NULL))
        return true;
    end_script(visit);
    return try_world(visit, NULL) ||
           err_set(err, ERR_TARGET_BAD_RESPONSE, "the page kept the browser busy");
}

/* Run a script in our world; its value is JSON text, and becomes *tree. NULL: not needed. */
static bool evaluate(struct visit *visit, const char *script, cJSON **tree, struct err *err)
{
    int64_t limit_ms = step_ms(visit);
    scoped(json_free) cJSON *answer = NULL;
    cJSON *params = json_object();
    json_str(params, "expression", script);
    json_int(params, "contextId", visit->context_id);
    json_bool(params, "returnByValue", tree != NULL);
    json_bool(params, "awaitPromise", tree != NULL);
    json_int(params, "timeout", limit_ms);
    if (!devtools_call(visit->devtools, "Runtime.evaluate", params, clock_ms() + limit_ms, &answer,
                       err))
        return false;
    if (!tree)
        return true;
    return json_parse(json_text_of(json_at(answer, "/result/value")), JSON_DEPTH, tree, NULL) ||
           err_set(err, ERR_TARGET_BAD_RESPONSE, "the page kept a script from running");
}

static bool measure(struct visit *visit, cJSON *response, struct err *err)
{
    scoped(json_free) cJSON *metrics = NULL;
    if (!enter_world(visit, err) || !evaluate(visit, script_collect, &metrics, err))
        return false;
    if (!json_get(metrics, "url"))
        return err_set(err, ERR_TARGET_BAD_RESPONSE, "the page kept moving to other documents");
    json_add(response, "metrics", take(metrics));
    return true;
}

static bool capture(struct visit *visit, int quality, cJSON **picture, struct err *err)
{
    cJSON *params = json_object();
    json_str(params, "format", "webp");
    json_int(params, "quality", quality);
    json_bool(params, "optimizeForSpeed", true);
    return devtools_call(visit->devtools, "Page.captureScreenshot", params,
                         clock_ms() + step_ms(visit), picture, err);
}

/* A picture that is too large is made again, with less quality. */
static bool take_picture(struct visit *visit, cJSON *response, struct err *err)
{
    for (int quality = QUALITY_FIRST; quality >= QUALITY_LAST; quality -= 15) {
        scoped(json_free) cJSON *picture = NULL;
        if (!capture(visit, quality, &picture, err))
            return false;
        const char *data = json_text(picture, "/data");
        if (data && strlen(data) <= SCREENSHOT_BYTES / 3 * 4) {
            json_str(response, "screenshot", data);
            return true;
        }
    }
    return err_set(err, ERR_TARGET_BAD_RESPONSE, "the picture is larger than %d bytes",
                   SCREENSHOT_BYTES);
}

static bool run_axe(struct visit *visit, cJSON *response, struct err *err)
{
    scoped(json_free) cJSON *found = NULL;
    if (!visit->order->axe)
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "axe-core is not installed");
    if (!evaluate(visit, visit->order->axe, NULL, err) || !evaluate(visit, script_axe, &found, err))
        return false;
    json_add(response, "accessibility", take(found));
    return true;
}

/* ---- all ---- */

static void note_problem(cJSON *problems, const char *part, const struct err *err)
{
    scoped(mem_free) char *line = str_format("%s: %s", part, err->message);
    json_item_str(problems, line);
}

/* The timings are a must. Of the others each is for itself: a page may allow one only. */
static bool look(struct visit *visit, cJSON *response, cJSON *problems, struct err *why)
{
    static const struct {
        const char *name;
        bool (*run)(struct visit *visit, cJSON *response, struct err *err);
    } parts[] = { { "Screenshot", take_picture }, { "Accessibility", run_axe } };
    if (!measure(visit, response, why))
        return false;
    for (size_t i = 0; i < countof(parts); i++) {
        struct err err = { 0 };
        if (!parts[i].run(visit, response, &err))
            note_problem(problems, parts[i].name, &err);
    }
    return true;
}

static void open_way_out(struct visit *visit)
{
    const struct tunnels_limits limits = { .deadline_ms = visit->order->deadline_ms,
                                           .at_once = VISIT_CONNECTIONS_AT_ONCE,
                                           .connections = VISIT_CONNECTIONS,
                                           .bytes = VISIT_BYTES };
    visit->tunnels = tunnels_open(visit->order->egress, visit->chromium.listener, &limits,
                                  visit->order->on_end, visit->order->context);
    visit->chromium.listener = -1;
}

static void end_visit(struct visit *visit, cJSON *response)
{
    struct tunnels_totals totals = { 0 };
    devtools_free(&visit->devtools);
    if (visit->chromium.pid > 0)
        tunnels_close(&visit->tunnels, &totals);
    else
        visit->order->on_end(visit->order->context);
    chromium_end(&visit->chromium);
    json_int(response, "bytes", (int64_t)totals.bytes);
    json_int(response, "connections", (int64_t)totals.opened);
    json_int(response, "refused_connections", (int64_t)totals.refused);
    json_bool(response, "is_full", totals.is_full);
    mem_free(&visit->frame);
    mem_free(&visit->blank);
}

void visit_run(const struct visit_order *order, cJSON *response)
{
    struct visit visit = { .order = order };
    struct err err = { 0 };
    int64_t begin_ms = clock_ms();
    bool ok = chromium_start(order->program, &visit.chromium, &err);
    if (!ok)
        log_line(LOG_WARN, "Chromium did not start", log_str("why", err.message));
    if (ok) {
        open_way_out(&visit);
        visit.devtools = devtools_new(visit.chromium.to, visit.chromium.from, on_event, &visit);
        ok = prepare(&visit, &err) && load(&visit, &err);
    }
    cJSON *problems = json_list(response, "problems");
    if (!ok || !look(&visit, response, problems, &err))
        json_str(response, "error", err.message);
    json_bool(response, "is_loaded", visit.is_loaded);
    json_int(response, "dialogs", visit.dialogs);
    end_visit(&visit, response);
    json_int(response, "duration_ms", clock_ms() - begin_ms);
}
