/* svc-reports/html-report/html-report.c - write the page. Only this file has markup. */
#include "html-report/html-report.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/num.h"
#include "html-report/style.h"

static const char *const tones[] = {
    [TONE_PLAIN] = "plain", [TONE_GOOD] = "good", [TONE_FAIR] = "fair", [TONE_BAD] = "bad"
};

/* ---- text ---- */

/* Control characters become spaces, except line ends if lines are kept. */
static void add_lines(struct html_report *page, const char *text, bool keeps_lines)
{
    for (const char *at = text ? text : ""; *at; at++) {
        if (keeps_lines && *at == '\n') {
            buf_add_byte(&page->html, '\n');
            continue;
        }
        switch (*at) {
        case '&':
            buf_add_str(&page->html, "&amp;");
            break;
        case '<':
            buf_add_str(&page->html, "&lt;");
            break;
        case '>':
            buf_add_str(&page->html, "&gt;");
            break;
        case '"':
            buf_add_str(&page->html, "&quot;");
            break;
        case '\'':
            buf_add_str(&page->html, "&#39;");
            break;
        default:
            buf_add_byte(&page->html, (unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at);
        }
    }
}

static void add_text(struct html_report *page, const char *text)
{
    add_lines(page, text, false);
}

static void add_markup(struct html_report *page, const char *markup)
{
    buf_add_str(&page->html, markup);
}

/* <tag class="tone">text</tag>; both names are constants. */
static void add_element(struct html_report *page, const char *tag, const char *class,
                        const char *text)
{
    buf_format(&page->html, "<%s class=\"%s\">", tag, class);
    add_text(page, text);
    buf_format(&page->html, "</%s>", tag);
}

/* ---- the page ---- */

void html_report_free(struct html_report *page)
{
    buf_free(&page->html);
}

void html_report_begin(struct html_report *page, const char *title, const char *subject,
                       const char *when)
{
    char minute[32]; /* 2026-11-21 10:44 UTC */
    assert(strlen(when) > strlen("2026-11-21T10:44"));
    add_markup(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    add_text(page, title);
    add_markup(page, ": ");
    add_text(page, subject);
    add_markup(page, "</title>\n<style>\n");
    add_markup(page, html_report_style);
    add_markup(page, "</style>\n</head>\n<body>\n<main>\n<header>\n");
    add_element(page, "h1", "title", title);
    add_element(page, "p", "subject", subject);
    snprintf(minute, sizeof(minute), "%.10s %.5s UTC", when, when + strlen("2026-11-21T"));
    add_element(page, "p", "when", minute);
    add_markup(page, "</header>\n");
}

static void end_section(struct html_report *page)
{
    if (page->has_section)
        add_markup(page, "</section>\n");
    page->has_section = false;
}

void html_report_respond(struct html_report *page, const struct job *job, const char *name)
{
    end_section(page);
    add_markup(page, "</main>\n</body>\n</html>\n");
    job_header(job, "Content-Security-Policy",
               "default-src 'none'; %sstyle-src 'unsafe-inline'; sandbox",
               page->has_picture ? "img-src data:; " : "");
    job_header(job, "X-Content-Type-Options", "nosniff");
    job_header(job, "Cache-Control", "private, no-store");
    job_header(job, "Content-Disposition", "inline; filename=\"%s.html\"", name);
    job_raw(job, HTML_REPORT_TYPE, &page->html);
}

void html_report_section(struct html_report *page, const char *heading)
{
    end_section(page);
    add_markup(page, "<section>\n");
    add_element(page, "h2", "heading", heading);
    add_markup(page, "\n");
    page->has_section = true;
}

void html_report_text(struct html_report *page, const char *text)
{
    add_element(page, "p", "text", text);
    add_markup(page, "\n");
}

void html_report_small(struct html_report *page, const char *text)
{
    add_element(page, "p", "small", text);
    add_markup(page, "\n");
}

void html_report_note(struct html_report *page, enum tone tone, const char *text)
{
    buf_format(&page->html, "<p class=\"note %s\">", tones[tone]);
    add_text(page, text);
    add_markup(page, "</p>\n");
}

void html_report_grade(struct html_report *page, enum tone tone, const char *grade,
                       const char *meaning)
{
    buf_format(&page->html, "<p class=\"grade %s\">", tones[tone]);
    add_element(page, "span", "mark", grade);
    add_element(page, "span", "meaning", meaning);
    add_markup(page, "</p>\n");
}

/* Encoded here, so that the bytes cannot become markup. */
void html_report_picture(struct html_report *page, struct text webp, int width, int height,
                         const char *alt)
{
    page->has_picture = true;
    buf_format(&page->html, "<img class=\"picture\" width=\"%d\" height=\"%d\" alt=\"", width,
               height);
    add_text(page, alt);
    add_markup(page, "\" src=\"data:image/webp;base64,");
    base64_encode(&page->html, webp);
    add_markup(page, "\">\n");
}

/* ---- figures and bars ---- */

void html_report_figures_begin(struct html_report *page)
{
    add_markup(page, "<dl class=\"figures\">\n");
}

void html_report_figure(struct html_report *page, const char *label, const char *value)
{
    add_markup(page, "<div>");
    add_element(page, "dt", "label", label);
    add_element(page, "dd", "value", value);
    add_markup(page, "</div>\n");
}

void html_report_figures_end(struct html_report *page)
{
    add_markup(page, "</dl>\n");
}

void html_report_bar(struct html_report *page, const char *label, const char *value, int percent,
                     enum tone tone)
{
    add_markup(page, "<div class=\"bar\">");
    add_element(page, "span", "label", label);
    buf_format(&page->html,
               "<span class=\"track\"><span class=\"fill %s\" style=\"width:%d%%\"></span></span>",
               tones[tone], MAX(0, MIN(percent, 100)));
    add_element(page, "span", "value", value);
    add_markup(page, "</div>\n");
}

/* ---- tables ---- */

void html_report_table_begin(struct html_report *page, const char *const *heads, size_t columns)
{
    page->columns = columns;
    page->heads = heads;
    page->column = 0;
    add_markup(page, "<table>\n<thead><tr>");
    for (size_t i = 0; i < columns; i++) {
        add_markup(page, "<th scope=\"col\">");
        add_text(page, heads[i]);
        add_markup(page, "</th>");
    }
    add_markup(page, "</tr></thead>\n<tbody>\n");
}

/* Narrow screens show the column name in each cell. */
void html_report_cell(struct html_report *page, const char *text)
{
    if (page->column == 0)
        add_markup(page, "<tr>");
    add_markup(page, "<td data-label=\"");
    add_text(page, page->heads[page->column]);
    add_markup(page, "\">");
    add_text(page, text);
    add_markup(page, "</td>");
    if (++page->column < page->columns)
        return;
    add_markup(page, "</tr>\n");
    page->column = 0;
}

void html_report_table_end(struct html_report *page)
{
    add_markup(page, "</tbody>\n</table>\n");
}

/* ---- findings ---- */

void html_report_finding_begin(struct html_report *page, enum tone tone, const char *mark,
                               const char *title, const char *detail, const char *fix)
{
    buf_format(&page->html, "<article class=\"finding %s\">\n<h3>", tones[tone]);
    add_element(page, "span", "pill", mark);
    add_markup(page, " ");
    add_text(page, title);
    add_markup(page, "</h3>\n");
    add_element(page, "p", "detail", detail);
    if (fix)
        add_element(page, "p", "fix", fix);
    add_markup(page, "\n<ul>");
}

void html_report_item(struct html_report *page, const char *what, const char *value,
                      const char *note)
{
    add_markup(page, "<li>");
    add_element(page, "span", "what", what);
    add_markup(page, " ");
    add_element(page, "span", "much", value);
    add_markup(page, " ");
    add_element(page, "span", "why", note);
    add_markup(page, "</li>\n");
}

void html_report_reason(struct html_report *page, const char *text)
{
    add_markup(page, "<li class=\"reason\">");
    add_text(page, text);
    add_markup(page, "</li>\n");
}

void html_report_code(struct html_report *page, const char *label, const char *text)
{
    add_markup(page, "<li class=\"code\">");
    add_element(page, "span", "label", label);
    add_markup(page, "<pre>");
    add_lines(page, text, true);
    add_markup(page, "</pre></li>\n");
}

void html_report_finding_end(struct html_report *page)
{
    add_markup(page, "</ul>\n</article>\n");
}
