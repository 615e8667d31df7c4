/*
 * portal/session/browser.h - which browser it is, for people: "Firefox on Linux" for 110 characters
 * that all begin with Mozilla/5.0. A hint, and nothing more: browsers say what they like.
 */
#pragma once

#include <cjson/cJSON.h>

enum { BROWSER_BYTES = 61 };

/* Name the browser of a User-Agent (NULL, "": none was told). What is not known is shown as it is,
 * cut to what fits. */
void browser_name(const char *agent, char name[static BROWSER_BYTES]);

/* Add `browser`, its name, and `agent`, what it said, to a model. */
void browser_add(cJSON *object, const char *agent);
