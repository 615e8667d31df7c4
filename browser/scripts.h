/*
 * browser/scripts.h - what runs in the page, in an isolated world: it sees the page's document, but
 * the page's scripts cannot see or change it.
 *
 * Metrics are defined by W3C: Largest Contentful Paint, Layout Instability, Long Tasks, Paint
 * Timing and Navigation Timing Level 2. CLS counts session windows and total blocking time the part
 * above 50 ms of each task after the first contentful paint, as web.dev/articles/cls and
 * web.dev/articles/tbt define them (read in 2026-11).
 */
#pragma once

#define SCRIPTS_WORLD "tollgate"

/* Before the page's own scripts: collects entries. */
extern const char script_observe[];

/* After the load: what was collected, as JSON text. */
extern const char script_collect[];

/* After axe-core's source: its violations of WCAG 2.2 up to AA, as a promise of JSON text. */
extern const char script_axe[];
