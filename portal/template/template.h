/*
 * portal/template/template.h - renders pages and emails from templates and values. All values are
 * escaped and cannot be inserted raw, so no caller can forget it.
 *
 * The language is a subset of Mustache:
 *
 *     {{name}}                   the value, escaped for its place; {{.}}: the item of a list
 *     {{#name}} … {{/name}}      for each item of a list; once for an object, whose members become
 *                                visible; once for any other value except null, false and ""
 *     {{^name}} … {{/name}}      if {{#name}} would show nothing
 *     {{> area/part}}            another template, with the same values
 *     {{! words }}               a comment
 *
 * Names consist of a-z 0-9 _ -. They are looked up from the innermost section outwards; a.b is the
 * member b of a. A missing or null value shows nothing. If one of the last four is alone on its
 * line, the line is removed.
 *
 * In HTML, each place is checked when the templates are loaded:
 *
 * - A value may be in the text of an element, and in quoted values of harmless attributes (listed
 *   in portal/template/html.c).
 * - In href, src, action and formaction, the text before the value must fix where the address
 *   leads: "/" and a letter, "?", "#", or the prefix of a program that html.c lists, such as
 *   "mailto:". The value is then percent-encoded. A value that
 *   is the whole address must be an https URL, which is checked when it is rendered.
 * - A value must not be in a tag's name, an attribute's name or <script>.
 * - Comments, <style> and elements with special parsing rules are rejected. <iframe> needs
 *   sandbox="".
 * - A section must begin and end at the same place of the markup.
 *
 * Text templates do not escape. A value with a line break or another control character is rejected.
 *
 * Loading reports each mistake with file and line. render.c renders.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    TEMPLATE_MAX_BYTES = 64 << 10, /* of one file */
    TEMPLATES_MAX = 512,           /* of one folder */
    TEMPLATE_DEPTH_MAX = 16,       /* nesting of sections; nesting of parts */
};

enum template_kind { TEMPLATE_HTML, TEMPLATE_TEXT };

struct templates; /* immutable once loaded, for any thread */

/*
 * Load all *.html (or *.txt) of a folder and its subfolders; "entry/sign-in" is entry/sign-in.html.
 * Errors: ERR_INVALID_VALUE with file, line and reason.
 */
bool templates_load(const char *folder, enum template_kind kind, struct templates **templates,
                    struct err *err) must_check;
void templates_free(struct templates **templates);

/* The same in steps: a new set, its templates one by one, then linking their parts. Errors as
 * templates_load(). */
struct templates *templates_new(enum template_kind kind);
bool templates_add(struct templates *templates, const char *name, struct text source,
                   struct err *err) must_check;
bool templates_link(struct templates *templates, struct err *err) must_check;

/* Does this template exist? */
bool template_exists(const struct templates *templates, const char *name);

/*
 * Append a template with the values of model, an object, to out. Errors: ERR_INTERNAL with template
 * and name, if the template does not exist, a value is an object or a list, is not an https URL
 * where one is needed or breaks a line of text, or the page does not fit. out is then unchanged.
 */
bool template_render(const struct templates *templates, const char *name, const cJSON *model,
                     struct buf *out, struct err *err) must_check;

/* May it be the whole value of href? Check foreign URLs before showing them. */
bool template_is_https_url(struct text url);

/*
 * Add an address outside the portal as a value, for the whole of href or after "0;url=" in the
 * content of <meta>. It must be a redirect that portal/oauth/clients/redirect.h has accepted: it is
 * escaped, but may have another scheme than https. Copies.
 */
void template_redirect(cJSON *object, const char *name, const char *url);

/*
 * Add an image as a value. It must come from our own code, never from outside. The first is SVG for
 * the text of an element. The second is base64 of an image of this media type ("image/png"), for
 * <img src="{{name}}">. Both copy.
 */
void template_picture(cJSON *object, const char *name, struct text svg);
void template_image(cJSON *object, const char *name, const char *media_type, struct text base64);
