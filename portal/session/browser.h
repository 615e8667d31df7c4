/*
 * portal/session/browser.h - a browser's name for people: "Firefox on Linux" instead of its
 * User-Agent. Only a hint: a client can send any User-Agent.
 */
#pragma once

#include <cjson/cJSON.h>

enum { BROWSER_BYTES = 61 };

/* Name the browser of a User-Agent (NULL or "": unknown). An unrecognized one is shown as it is,
 * cut to fit. */
void browser_name(const char *agent, char name[static BROWSER_BYTES]);

/* Add `browser`, its name, and `agent`, its User-Agent, to an object. */
void browser_add(cJSON *object, const char *agent);
