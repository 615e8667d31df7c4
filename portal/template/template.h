/*
 * portal/template/template.h - pages and mails made of templates and values, escaped by
 * construction: there is no raw form, so no caller can forget to escape.
 *
 * The language is a part of Mustache:
 *
 *     {{name}}                   the value, escaped for where it stands; {{.}}: of a list, its item
 *     {{#name}} … {{/name}}      once for each item of a list; once, looking into it, for an
 *                                object; once for any other value but null, false and ""
 *     {{^name}} … {{/name}}      when {{#name}} would show nothing
 *     {{> area/part}}            another template, which sees the same values
 *     {{! words }}               nothing
 *
 * A name (a-z 0-9 _ -) is looked for from the innermost section outwards; a.b is the member b of a.
 * What is missing or null shows nothing. A line that holds nothing but one of the last four goes
 * with its end.
 *
 * In HTML each place is judged when the templates are loaded. A value may stand in the text of an
 * element and in quoted values of attributes that are known to be harmless (portal/template/html.c
 * has them). In href, src, action and formaction what stands before it must keep the value from
 * choosing where the address leads: "/" and a letter, "?", "#" or "mailto:"; then it is percent-
 * encoded. Alone at the beginning it must be an https URL, which is checked when it is shown.
 * Nothing may stand in a tag's name, an attribute's name or <script>; comments, <style> and
 * elements with rules of their own are refused. A section begins and ends at the same place of the
 * markup.
 *
 * Text is not escaped; a value with a line break or another control character is refused.
 *
 * It is a thousand lines, a third of them html.c: what makes a raw form needless is that each place
 * is known, and only a tokenizer knows it. Loading refuses a mistake by file and line, which would
 * else be a page that fails when it is asked for. What shows pages is render.c, 240 lines.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    TEMPLATE_MAX_BYTES = 64 << 10, /* of one file */
    TEMPLATES_MAX = 512,           /* of one folder */
    TEMPLATE_DEPTH_MAX = 16,       /* sections within each other; parts within each other */
};

enum template_kind { TEMPLATE_HTML, TEMPLATE_TEXT };

struct templates; /* never changed once loaded: for any number of threads */

/*
 * All *.html (or *.txt) below a folder and its folders; "entry/sign-in" is entry/sign-in.html.
 * Errors: ERR_INVALID_VALUE for the operator, with file, line and what is wrong there.
 */
bool templates_load(const char *folder, enum template_kind kind, struct templates **templates,
                    struct err *err) must_check;
void templates_free(struct templates **templates);

/* The same by hand: an empty set, its templates one by one, and at last what they include of each
 * other. Errors as templates_load(). */
struct templates *templates_new(enum template_kind kind);
bool templates_add(struct templates *templates, const char *name, struct text source,
                   struct err *err) must_check;
bool templates_link(struct templates *templates, struct err *err) must_check;

/* Is there a template of this name? */
bool template_exists(const struct templates *templates, const char *name);

/*
 * Append a template with the values of model, an object, to out. Errors: ERR_INTERNAL with template
 * and name: there is no such template, a value is an object or a list, is no https URL where one is
 * needed, breaks a line of text, or the page does not fit; out is then as it was.
 */
bool template_render(const struct templates *templates, const char *name, const cJSON *model,
                     struct buf *out, struct err *err) must_check;

/* Is it an address that may stand alone in href? What others chose is asked before it is shown. */
bool template_is_https_url(struct text url);

/*
 * A picture as a value: what only our own writers make, and never came from outside. The first is
 * SVG for the text of an element; the second, base64 of an image of this media type ("image/png"),
 * is for <img src="{{name}}">. Both copy.
 */
void template_picture(cJSON *object, const char *name, struct text svg);
void template_image(cJSON *object, const char *name, const char *media_type, struct text base64);
