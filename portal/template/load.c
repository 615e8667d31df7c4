/* portal/template/load.c - loads all templates of a folder, and links their parts. */
#include "portal/template/template.h"

#include <dirent.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/file.h"
#include "portal/template/ops.h"
#include "portal/template/parse.h"
#include "text/json.h"

enum { FOLDER_DEPTH_MAX = 4, UNDER_WAY = TEMPLATE_DEPTH_MAX + 1 };

struct templates *templates_new(enum template_kind kind)
{
    struct templates *templates = mem_new(sizeof(*templates));
    templates->kind = kind;
    return templates;
}

static void free_template(struct template *template)
{
    mem_free(&template->name);
    mem_free(&template->source);
    mem_free(&template->ops);
    template->count = 0;
}

void templates_free(struct templates **templates)
{
    for (size_t i = 0; *templates && i < (*templates)->count; i++)
        free_template(&(*templates)->at[i]);
    mem_free(templates);
}

size_t templates_find(const struct templates *templates, struct text name)
{
    size_t i = 0;
    while (i < templates->count && !text_is(name, templates->at[i].name))
        i++;
    return i;
}

bool template_exists(const struct templates *templates, const char *name)
{
    return templates_find(templates, text_of(name)) < templates->count;
}

bool templates_add(struct templates *templates, const char *name, struct text source,
                   struct err *err)
{
    struct template *template = &templates->at[templates->count];
    if (templates->count == TEMPLATES_MAX)
        return err_set(err, ERR_INVALID_VALUE, "%s: more than %d templates", name, TEMPLATES_MAX);
    if (source.size > TEMPLATE_MAX_BYTES ||
        memchr(source.bytes ? source.bytes : "", 0, source.size))
        return err_set(err, ERR_INVALID_VALUE, "%s: more than %d bytes, or contains a NUL", name,
                       TEMPLATE_MAX_BYTES);
    *template =
        (struct template){ .name = str_dup(name), .source = mem_dup(source.bytes, source.size) };
    if (template_parse(template, templates->kind, err)) {
        templates->count++;
        return true;
    }
    free_template(template);
    return false;
}

/* ---- parts ---- */

static bool link_template(struct templates *templates, struct template *template, struct err *err);

static bool link_part(struct templates *templates, struct template *template, struct op *op,
                      struct err *err)
{
    const char *why = NULL;
    op->part = templates_find(templates, op->text);
    struct template *part = &templates->at[op->part];
    if (op->part == templates->count)
        why = "this template does not exist";
    else if (part->depth == UNDER_WAY)
        why = "it includes itself";
    else if (!link_template(templates, part, err))
        return false;
    else if (part->depth >= TEMPLATE_DEPTH_MAX)
        why = "parts are nested more than 16 deep";
    return !why || err_set(err, ERR_INVALID_VALUE, "%s.%s:%u: {{> %.*s}}: %s", template->name,
                           templates->kind == TEMPLATE_HTML ? "html" : "txt", op->line,
                           (int)op->text.size, op->text.bytes, why);
}

/* The recursion is bounded: a template in progress is not entered again, and there are at most 16
 * levels. */
static bool link_template(struct templates *templates, struct template *template, struct err *err)
{
    unsigned depth = 1;
    if (template->depth > 0)
        return true;
    template->depth = UNDER_WAY;
    for (size_t i = 0; i < template->count; i++) {
        struct op *op = &template->ops[i];
        if (op->kind != OP_PART)
            continue;
        if (!link_part(templates, template, op, err))
            return false;
        depth = MAX(depth, templates->at[op->part].depth + 1);
    }
    template->depth = depth;
    return true;
}

bool templates_link(struct templates *templates, struct err *err)
{
    for (size_t i = 0; i < templates->count; i++)
        if (!link_template(templates, &templates->at[i], err))
            return false;
    return true;
}

/* ---- files ---- */

static bool load_file(struct templates *templates, const char *path, const char *name,
                      struct err *err)
{
    scoped(buf_free) struct buf source = BUF(TEMPLATE_MAX_BYTES + 1);
    return file_read(path, &source, err) && templates_add(templates, name, buf_text(&source), err);
}

static void close_folder(DIR **folder)
{
    if (*folder)
        closedir(*folder);
    *folder = NULL;
}

static bool load_folder(struct templates *templates, const char *path, const char *prefix,
                        unsigned depth, struct err *err);

static bool load_entry(struct templates *templates, const char *path, const char *prefix,
                       const struct dirent *entry, unsigned depth, struct err *err)
{
    scoped(mem_free) char *inner = str_format("%s/%s", path, entry->d_name);
    scoped(mem_free) char *name = str_format("%s%s", prefix, entry->d_name);
    const char *ending = templates->kind == TEMPLATE_HTML ? ".html" : ".txt";
    char *dot = strrchr(name, '.');
    if (entry->d_name[0] == '.')
        return true;
    if (dot && strcmp(dot, ending) == 0) {
        *dot = '\0';
        return load_file(templates, inner, name, err);
    }
    if (entry->d_type != DT_DIR)
        return true;
    scoped(mem_free) char *below = str_format("%s/", name);
    return load_folder(templates, inner, below, depth + 1, err);
}

static bool load_folder(struct templates *templates, const char *path, const char *prefix,
                        unsigned depth, struct err *err)
{
    scoped(close_folder) DIR *folder = opendir(path);
    const struct dirent *entry;
    if (!folder || depth > FOLDER_DEPTH_MAX)
        return err_set(err, ERR_INVALID_VALUE, "%s: this folder of templates cannot be read", path);
    while ((entry = readdir(folder)))
        if (!load_entry(templates, path, prefix, entry, depth, err))
            return false;
    return true;
}

bool templates_load(const char *folder, enum template_kind kind, struct templates **templates,
                    struct err *err)
{
    scoped(templates_free) struct templates *loaded = templates_new(kind);
    struct err why = { 0 };
    if (load_folder(loaded, folder, "", 1, &why) && templates_link(loaded, &why)) {
        *templates = take(loaded);
        return true;
    }
    bool has_path = strstr(why.message, folder) != NULL;
    return err_set(err, why.kind, "%s%s%s", has_path ? "" : folder, has_path ? "" : "/",
                   why.message);
}

/* ---- images ---- */

void template_picture(cJSON *object, const char *name, struct text svg)
{
    json_raw(object, name, svg);
}

void template_redirect(cJSON *object, const char *name, const char *url)
{
    scoped(mem_free) char *marked = str_format("%s%s", REDIRECT_MARK, url);
    json_raw(object, name, text_of(marked));
}

void template_image(cJSON *object, const char *name, const char *media_type, struct text base64)
{
    scoped(mem_free) char *url =
        str_format("data:%s;base64,%.*s", media_type, (int)base64.size, base64.bytes);
    json_raw(object, name, text_of(url));
}
