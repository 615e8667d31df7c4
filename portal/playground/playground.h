/*
 * portal/playground/playground.h - the page of a tool, and the form on it that makes a real call.
 */
#ifndef PORTAL_PLAYGROUND_PLAYGROUND_H
#define PORTAL_PLAYGROUND_PLAYGROUND_H

#include "portal/page/visit.h"

visit_handler tool_show; /* /tools/{tool} */
visit_handler tool_run;  /* POST /tools/{tool}/run */

#endif
