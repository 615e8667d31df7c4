/*
 * portal/public/public.h - public pages: home, pricing, tools, errors.
 */
#pragma once

#include "portal/page/visit.h"

visit_handler home_show;    /* / */
visit_handler pricing_show; /* /pricing */
visit_handler tools_show;   /* /tools */
visit_handler errors_show;  /* /tools/errors: the rows of docs/api/errors.md */
visit_handler robots_show;  /* /robots.txt: public pages may be found, a member's may not */
visit_handler favicon_show; /* /favicon.ico, an SVG */
