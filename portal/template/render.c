/* portal/template/render.c - renders steps with values. */
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "portal/template/ops.h"
#include "text/json.h"

/* Nesting of sections and parts, at most. */
enum { FRAMES_MAX = TEMPLATE_DEPTH_MAX * TEMPLATE_DEPTH_MAX + 1 };

struct render {
    const struct templates *templates;
    const struct template *template;
    const cJSON *frames[FRAMES_MAX]; /* scopes for looking up names, innermost last */
    size_t depth;
    struct buf *out;
    struct err *err;
};

static bool reject_value(const struct render *render, const struct op *op, const char *why)
{
    return err_set(render->err, ERR_INTERNAL, "template %s, line %u, %.*s: %s",
                   render->template->name, op->line, (int)MIN(op->text.size, 60), op->text.bytes,
                   why);
}

/* ---- looking up names ---- */

static const cJSON *member_of(const cJSON *object, struct text name)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, object)
        if (member->string && text_is(name, member->string))
            return member;
    return NULL;
}

static const cJSON *look_up(const struct render *render, struct text path)
{
    const cJSON *found = NULL;
    struct text rest = path;
    if (text_is(path, "."))
        return render->frames[render->depth - 1];
    struct text name = text_cut(&rest, '.');
    for (size_t i = render->depth; i > 0 && !found; i--)
        found = member_of(render->frames[i - 1], name);
    while (found && rest.size > 0)
        found = member_of(found, text_cut(&rest, '.'));
    return found;
}

static bool is_shown(const cJSON *value)
{
    if (!value || json_is(value, cJSON_NULL) || json_is(value, cJSON_False))
        return false;
    if (json_is(value, cJSON_Array))
        return json_size(value) > 0;
    return !json_is(value, cJSON_String) || json_text_of(value).size > 0;
}

/* ---- values ---- */

/* U+0000 and most other control characters are invalid in HTML (section 13.2.2): they become
 * U+FFFD. */
static void add_escaped(struct buf *out, struct text text)
{
    static const char *const escapes[UINT8_MAX + 1] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
    };
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        if (escapes[c])
            buf_add_str(out, escapes[c]);
        else if ((c < ' ' && !ascii_is_space(c)) || c == '\v' || c == 0x7f)
            buf_add_str(out, "\xef\xbf\xbd");
        else
            buf_add_byte(out, (char)c);
    }
}

/* RFC 3986 section 2.3: everything except unreserved characters is encoded. */
static void add_encoded(struct buf *out, struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        if (ascii_is_alnum(c) || strchr("-._~", c ? c : ' '))
            buf_add_byte(out, (char)c);
        else
            buf_format(out, "%%%02X", c);
    }
}

/* A host without userinfo, then only characters that need no encoding (RFC 3986 appendix A). */
bool template_is_https_url(struct text url)
{
    static const char marks[] = "-._~:/?#[]@!$&()*+,;=%";
    if (!text_begins(url, "https://"))
        return false;
    struct text rest = text_skip(url, 8);
    struct text host = { rest.bytes, 0 };
    while (host.size < rest.size && !strchr("/?#", rest.bytes[host.size]))
        host.size++;
    for (size_t i = 0; i < rest.size; i++) {
        unsigned char c = (unsigned char)rest.bytes[i];
        if (!ascii_is_alnum(c) && (c == '\0' || !strchr(marks, c)))
            return false;
    }
    return host.size > 0 && !memchr(host.bytes, '@', host.size) &&
           (ascii_is_alnum((unsigned char)*host.bytes) || *host.bytes == '[');
}

static bool is_one_line(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.bytes[i] < ' ' || text.bytes[i] == 0x7f)
            return false;
    return true;
}

static bool add_text(struct render *render, const struct op *op, struct text text)
{
    switch (op->place) {
    case PLACE_TEXT:
        buf_add(render->out, text.bytes, text.size);
        return is_one_line(text) || reject_value(render, op, "the value breaks the line");
    case PLACE_HTTPS:
        add_escaped(render->out, text);
        return template_is_https_url(text) ||
               reject_value(render, op, "the value is not an https URL");
    case PLACE_URL:
        add_encoded(render->out, text);
        return !text_is_made_of(text, ".") || text.size == 0 ||
               reject_value(render, op, "the value leads to another folder");
    case PLACE_REFRESH:
        return reject_value(render, op, "only a redirect is allowed here");
    case PLACE_ELEMENT:
    case PLACE_ATTRIBUTE:
        break;
    }
    add_escaped(render->out, text);
    return true;
}

/* A value of template_redirect(). Neither place is split by a space or a semicolon of the value,
 * which is a URI. */
static bool add_redirect(struct render *render, const struct op *op, struct text url)
{
    add_escaped(render->out, url);
    return op->place == PLACE_REFRESH || op->place == PLACE_HTTPS ||
           reject_value(render, op, "a redirect is not allowed here");
}

/* A value of template_picture() or template_image(), in its place. */
static bool add_picture(struct render *render, const struct op *op, const char *picture)
{
    bool fits = op->place == (text_begins(text_of(picture), "<svg") ? PLACE_ELEMENT : PLACE_HTTPS);
    buf_add_str(render->out, picture);
    return fits || reject_value(render, op, "an image is not allowed here");
}

static bool add_value(struct render *render, const struct op *op)
{
    scoped(buf_free) struct buf number = BUF(64);
    const cJSON *value = look_up(render, op->text);
    if (!value || json_is(value, cJSON_NULL))
        return op->place != PLACE_HTTPS || reject_value(render, op, "an address is missing");
    if (json_is(value, cJSON_Raw) && text_begins(text_of(value->valuestring), REDIRECT_MARK))
        return add_redirect(render, op,
                            text_skip(text_of(value->valuestring), strlen(REDIRECT_MARK)));
    if (json_is(value, cJSON_Raw))
        return add_picture(render, op, value->valuestring);
    if (json_is(value, cJSON_String))
        return add_text(render, op, json_text_of(value));
    if (json_is(value, cJSON_Object) || json_is(value, cJSON_Array) || !json_print(value, &number))
        return reject_value(render, op, "the value is neither a text nor a number");
    return add_text(render, op, buf_text(&number));
}

/* ---- steps ---- */

static bool render_steps(struct render *render, size_t from, size_t to);

static bool run_within(struct render *render, const cJSON *frame, size_t from, size_t to)
{
    render->frames[render->depth++] = frame;
    bool ok = render_steps(render, from, to);
    render->depth--;
    return ok;
}

static bool run_section(struct render *render, size_t from, const struct op *op)
{
    const cJSON *value = look_up(render, op->text);
    const cJSON *item;
    if (op->kind == OP_INVERTED)
        return is_shown(value) || render_steps(render, from, op->end);
    if (!is_shown(value))
        return true;
    if (!json_is(value, cJSON_Array))
        return run_within(render, value, from, op->end);
    cJSON_ArrayForEach(item, value)
        if (!run_within(render, item, from, op->end))
            return false;
    return true;
}

static bool run_part(struct render *render, size_t part)
{
    const struct template *whole = render->template;
    render->template = &render->templates->at[part];
    bool ok = render_steps(render, 0, render->template->count);
    render->template = whole;
    return ok;
}

static bool render_steps(struct render *render, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct op *op = &render->template->ops[i];
        bool ok = true;
        if (render->out->full)
            return false;
        if (op->kind == OP_LITERAL)
            buf_add(render->out, op->text.bytes, op->text.size);
        else if (op->kind == OP_VALUE)
            ok = add_value(render, op);
        else if (op->kind == OP_PART)
            ok = run_part(render, op->part);
        else
            ok = run_section(render, i + 1, op);
        if (!ok)
            return false;
        if (op->end > 0)
            i = op->end - 1;
    }
    return true;
}

bool template_render(const struct templates *templates, const char *name, const cJSON *model,
                     struct buf *out, struct err *err)
{
    size_t index = templates_find(templates, text_of(name));
    size_t before = out->size;
    struct render render = { .templates = templates, .out = out, .err = err };
    if (index == templates->count)
        return err_set(err, ERR_INTERNAL, "template %s does not exist", name);
    render.template = &templates->at[index];
    bool ok = run_within(&render, model, 0, render.template->count);
    if (ok && !out->full)
        return true;
    if (out->bytes)
        out->bytes[before] = '\0';
    out->size = before;
    return out->full ? err_set(err, ERR_INTERNAL, "the output of template %s is too large", name)
                     : false;
}
