/*
 * portal/playground/report.h - a report, that is, an HTML page made by a tool, in a frame of the
 * tool's page.
 *
 * The frame loads it from its own path, so that the report has its own policy and the page's
 * policy stays as it is. Nothing of it is stored here: the path repeats the call with the same run,
 * and the gateway replays the stored response, free. Links are valid for an hour, and responses are
 * stored for a day, so a link never runs a tool again. Only this portal makes links, each for one
 * session.
 */
#pragma once

#include "portal/page/visit.h"
#include "portal/playground/gateways.h"

/* Does the contract name this media type of a response as a report? */
bool report_is(const struct contract *contract, const char *media_type);

/* Add `report` to the outcome of a call that returned one: {run, until, mark, request}, the parts
 * of its path. False: the request is too long for an address. */
bool report_add(struct visit *visit, const struct tool_call *call, cJSON *outcome);

visit_handler tool_report; /* /tools/{tool}/report/{run} */
