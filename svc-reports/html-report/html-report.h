/*
 * svc-reports/html-report/html-report.h - a report as a self-contained HTML page: no scripts, no
 * external resources, readable on phones, printable on A4. A picture is in the page itself.
 *
 *     scoped(html_report_free) struct html_report page = HTML_REPORT;
 *     html_report_begin(&page, "Performance audit", json_text(result, "/final_url"),
 *                       json_text(result, "/scanned_at"));
 *     audit_page(result, &page);
 *     html_report_respond(&page, job, "performance-audit");
 *
 * audit_page() calls html_report_grade(), html_report_section(), html_report_text() and so on.
 *
 * Every text is escaped, and no function accepts markup: text of a site or a customer stays text.
 * NULL is an empty text. URLs are text, not links.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "svc/job.h"

#define HTML_REPORT_TYPE "text/html; charset=utf-8"

enum { HTML_REPORT_BYTES = 5 << 19 };

struct html_report {
    struct buf html;
    size_t columns; /* of the open table */
    const char *const *heads;
    size_t column;
    bool has_section;
    bool has_picture;
};

#define HTML_REPORT                    \
    {                                  \
        .html = BUF(HTML_REPORT_BYTES) \
    }

enum tone { TONE_PLAIN, TONE_GOOD, TONE_FAIR, TONE_BAD };

void html_report_free(struct html_report *page);

/* Start the page with title, subject and time; `when` is a time of json_time(). */
void html_report_begin(struct html_report *page, const char *title, const char *subject,
                       const char *when);

/* Respond with the page and empty it; call this last.
 *
 * - The contract must have HTML_REPORT_TYPE in raw, and Content-Security-Policy,
 *   X-Content-Type-Options, Cache-Control and Content-Disposition in raw_headers.
 * - name is the file name for saving, without .html. */
void html_report_respond(struct html_report *page, const struct job *job, const char *name);

/* A large grade with its meaning. */
void html_report_grade(struct html_report *page, enum tone tone, const char *grade,
                       const char *meaning);

void html_report_section(struct html_report *page, const char *heading);
void html_report_text(struct html_report *page, const char *text);
void html_report_note(struct html_report *page, enum tone tone, const char *text); /* in a box */

/* A row of figures; add any number between begin and end. */
void html_report_figures_begin(struct html_report *page);
void html_report_figure(struct html_report *page, const char *label, const char *value);
void html_report_figures_end(struct html_report *page);

/* A bar between its label and its value; percent is relative to the longest bar. */
void html_report_bar(struct html_report *page, const char *label, const char *value, int percent,
                     enum tone tone);

/* A table, cell by cell. The first column is text; the others are numbers or short words. heads
 * must stay valid until the end. */
void html_report_table_begin(struct html_report *page, const char *const *heads, size_t columns);
void html_report_cell(struct html_report *page, const char *text);
void html_report_table_end(struct html_report *page);

/* A finding: mark ("High"), title, detail, and fix (may be NULL). Add affected items with
 * html_report_item() before its end. */
void html_report_finding_begin(struct html_report *page, enum tone tone, const char *mark,
                               const char *title, const char *detail, const char *fix);
void html_report_item(struct html_report *page, const char *what, const char *value,
                      const char *note);
/* Why it matters; and a text to copy, with its lines as they are. */
void html_report_reason(struct html_report *page, const char *text);
void html_report_code(struct html_report *page, const char *label, const char *text);
void html_report_finding_end(struct html_report *page);

/* A WebP picture; alt says what it shows. The page then allows images of data: URIs, from nowhere
 * else. */
void html_report_picture(struct html_report *page, struct text webp, int width, int height,
                         const char *alt);

/* A line in small print, for methods and sources. */
void html_report_small(struct html_report *page, const char *text);
