/* svc-reports/paper/paper.c - write the page. Markup stands in this file and nowhere else. */
#include "paper/paper.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "paper/style.h"

static const char *const tones[] = {
    [TONE_PLAIN] = "plain", [TONE_GOOD] = "good", [TONE_FAIR] = "fair", [TONE_BAD] = "bad"
};

/* ---- text ---- */

/* Control characters become blanks. */
static void add_text(struct paper *paper, const char *text)
{
    for (const char *at = text ? text : ""; *at; at++) {
        switch (*at) {
        case '&':
            buf_add_str(&paper->html, "&amp;");
            break;
        case '<':
            buf_add_str(&paper->html, "&lt;");
            break;
        case '>':
            buf_add_str(&paper->html, "&gt;");
            break;
        case '"':
            buf_add_str(&paper->html, "&quot;");
            break;
        case '\'':
            buf_add_str(&paper->html, "&#39;");
            break;
        default:
            buf_add_byte(&paper->html, (unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at);
        }
    }
}

static void add(struct paper *paper, const char *markup)
{
    buf_add_str(&paper->html, markup);
}

/* <tag class="tone">text</tag>, both names ours. */
static void add_element(struct paper *paper, const char *tag, const char *class, const char *text)
{
    buf_format(&paper->html, "<%s class=\"%s\">", tag, class);
    add_text(paper, text);
    buf_format(&paper->html, "</%s>", tag);
}

/* ---- the page ---- */

void paper_free(struct paper *paper)
{
    buf_free(&paper->html);
}

void paper_begin(struct paper *paper, const char *title, const char *subject, const char *when)
{
    char minute[32]; /* 2026-11-21 10:44 UTC */
    assert(strlen(when) > strlen("2026-11-21T10:44"));
    add(paper, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
               "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    add_text(paper, title);
    add(paper, ": ");
    add_text(paper, subject);
    add(paper, "</title>\n<style>\n");
    add(paper, paper_style);
    add(paper, "</style>\n</head>\n<body>\n<main>\n<header>\n");
    add_element(paper, "h1", "title", title);
    add_element(paper, "p", "subject", subject);
    snprintf(minute, sizeof(minute), "%.10s %.5s UTC", when, when + strlen("2026-11-21T"));
    add_element(paper, "p", "when", minute);
    add(paper, "</header>\n");
}

static void end_section(struct paper *paper)
{
    if (paper->has_section)
        add(paper, "</section>\n");
    paper->has_section = false;
}

void paper_answer(struct paper *paper, const struct job *job, const char *name)
{
    end_section(paper);
    add(paper, "</main>\n</body>\n</html>\n");
    job_header(job, "Content-Security-Policy",
               "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    job_header(job, "X-Content-Type-Options", "nosniff");
    job_header(job, "Cache-Control", "private, no-store");
    job_header(job, "Content-Disposition", "inline; filename=\"%s.html\"", name);
    job_raw(job, PAPER_TYPE, &paper->html);
}

void paper_section(struct paper *paper, const char *heading)
{
    end_section(paper);
    add(paper, "<section>\n");
    add_element(paper, "h2", "heading", heading);
    add(paper, "\n");
    paper->has_section = true;
}

void paper_text(struct paper *paper, const char *text)
{
    add_element(paper, "p", "text", text);
    add(paper, "\n");
}

void paper_small(struct paper *paper, const char *text)
{
    add_element(paper, "p", "small", text);
    add(paper, "\n");
}

void paper_note(struct paper *paper, enum tone tone, const char *text)
{
    buf_format(&paper->html, "<p class=\"note %s\">", tones[tone]);
    add_text(paper, text);
    add(paper, "</p>\n");
}

void paper_grade(struct paper *paper, enum tone tone, const char *grade, const char *meaning)
{
    buf_format(&paper->html, "<p class=\"grade %s\">", tones[tone]);
    add_element(paper, "span", "mark", grade);
    add_element(paper, "span", "meaning", meaning);
    add(paper, "</p>\n");
}

/* ---- figures and bars ---- */

void paper_figures_begin(struct paper *paper)
{
    add(paper, "<dl class=\"figures\">\n");
}

void paper_figure(struct paper *paper, const char *label, const char *value)
{
    add(paper, "<div>");
    add_element(paper, "dt", "label", label);
    add_element(paper, "dd", "value", value);
    add(paper, "</div>\n");
}

void paper_figures_end(struct paper *paper)
{
    add(paper, "</dl>\n");
}

void paper_bar(struct paper *paper, const char *label, const char *value, int percent,
               enum tone tone)
{
    add(paper, "<div class=\"bar\">");
    add_element(paper, "span", "label", label);
    buf_format(&paper->html,
               "<span class=\"track\"><span class=\"fill %s\" style=\"width:%d%%\"></span></span>",
               tones[tone], MAX(0, MIN(percent, 100)));
    add_element(paper, "span", "value", value);
    add(paper, "</div>\n");
}

/* ---- tables ---- */

void paper_table_begin(struct paper *paper, const char *const *heads, size_t columns)
{
    paper->columns = columns;
    paper->heads = heads;
    paper->column = 0;
    add(paper, "<table>\n<thead><tr>");
    for (size_t i = 0; i < columns; i++) {
        add(paper, "<th scope=\"col\">");
        add_text(paper, heads[i]);
        add(paper, "</th>");
    }
    add(paper, "</tr></thead>\n<tbody>\n");
}

/* On a narrow screen each cell shows its column's name. */
void paper_cell(struct paper *paper, const char *text)
{
    if (paper->column == 0)
        add(paper, "<tr>");
    add(paper, "<td data-label=\"");
    add_text(paper, paper->heads[paper->column]);
    add(paper, "\">");
    add_text(paper, text);
    add(paper, "</td>");
    if (++paper->column < paper->columns)
        return;
    add(paper, "</tr>\n");
    paper->column = 0;
}

void paper_table_end(struct paper *paper)
{
    add(paper, "</tbody>\n</table>\n");
}

/* ---- findings ---- */

void paper_finding_begin(struct paper *paper, enum tone tone, const char *mark, const char *title,
                         const char *detail, const char *fix)
{
    buf_format(&paper->html, "<article class=\"finding %s\">\n<h3>", tones[tone]);
    add_element(paper, "span", "pill", mark);
    add(paper, " ");
    add_text(paper, title);
    add(paper, "</h3>\n");
    add_element(paper, "p", "detail", detail);
    if (fix)
        add_element(paper, "p", "fix", fix);
    add(paper, "\n<ul>");
}

void paper_item(struct paper *paper, const char *what, const char *value, const char *note)
{
    add(paper, "<li>");
    add_element(paper, "span", "what", what);
    add(paper, " ");
    add_element(paper, "span", "much", value);
    add(paper, " ");
    add_element(paper, "span", "why", note);
    add(paper, "</li>\n");
}

void paper_finding_end(struct paper *paper)
{
    add(paper, "</ul>\n</article>\n");
}
