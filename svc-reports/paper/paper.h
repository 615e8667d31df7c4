/*
 * svc-reports/paper/paper.h - a report as one HTML page that stands alone: no script, nothing
 * loaded from anywhere, good to read on a telephone and to print on A4.
 *
 *     scoped(paper_free) struct paper paper = PAPER;
 *     paper_begin(&paper, "Performance audit", json_text(result, "/final_url"),
 *                 json_text(result, "/scanned_at"));
 *     audit_page(result, &paper);
 *     paper_answer(&paper, job, "performance-audit");
 *
 * where audit_page() adds what is below: paper_grade(), paper_section(), paper_text() and so on.
 *
 * Every text is escaped on its way in, and no function takes markup: whatever a site or a customer
 * wrote is text on the page. NULL is an empty text. URLs are shown and lead nowhere.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "svc/job.h"

#define PAPER_TYPE "text/html; charset=utf-8"

enum { PAPER_BYTES = 2 << 20 };

struct paper {
    struct buf html;
    size_t columns; /* of the table that is open */
    const char *const *heads;
    size_t column;
    bool has_section;
};

#define PAPER                    \
    {                            \
        .html = BUF(PAPER_BYTES) \
    }

enum tone { TONE_PLAIN, TONE_GOOD, TONE_FAIR, TONE_BAD };

void paper_free(struct paper *paper);

/* The head of the page: what it is, of what, when, as json_time() writes it. */
void paper_begin(struct paper *paper, const char *title, const char *subject, const char *when);

/* Answer it, and leave it empty: to be called last. The contract must list PAPER_TYPE under raw,
 * and Content-Security-Policy, X-Content-Type-Options, Cache-Control and Content-Disposition under
 * raw_headers; name is that of the file, without .html, when somebody keeps it. */
void paper_answer(struct paper *paper, const struct job *job, const char *name);

/* A large mark, and what stands beside it. */
void paper_grade(struct paper *paper, enum tone tone, const char *grade, const char *meaning);

void paper_section(struct paper *paper, const char *heading);
void paper_text(struct paper *paper, const char *text);
void paper_note(struct paper *paper, enum tone tone, const char *text); /* a boxed sentence */

/* Figures in a row: as many as are added between. */
void paper_figures_begin(struct paper *paper);
void paper_figure(struct paper *paper, const char *label, const char *value);
void paper_figures_end(struct paper *paper);

/* A bar with its name before and its value behind it; percent is of the longest. */
void paper_bar(struct paper *paper, const char *label, const char *value, int percent,
               enum tone tone);

/* A table, cell by cell; the first column is text, the others are numbers or short words. heads
 * must stay until its end. */
void paper_table_begin(struct paper *paper, const char *const *heads, size_t columns);
void paper_cell(struct paper *paper, const char *text);
void paper_table_end(struct paper *paper);

/* Something found: its mark ("High"), its title, how it is now, and what to do (NULL: nothing);
 * then perhaps things that it is about, by paper_item(), until it ends. */
void paper_finding_begin(struct paper *paper, enum tone tone, const char *mark, const char *title,
                         const char *detail, const char *fix);
void paper_item(struct paper *paper, const char *what, const char *value, const char *note);
void paper_finding_end(struct paper *paper);

/* A small line, for how it was measured. */
void paper_small(struct paper *paper, const char *text);
