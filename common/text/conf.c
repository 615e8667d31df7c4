/* common/text/conf.c - the configuration: defaults, then the file, then the environment. */
#include "text/conf.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/file.h"
#include "base/os/log.h"
#include "base/table.h"
#include "base/text.h"
#include "text/json.h"
#include "text/yaml.h"

#define ENV_PREFIX "TOLLGATE_"

enum { SECRET_MAX_BYTES = 4096, LIST_MAX_BYTES = 64 << 10 };

enum type { STR, INT, BOOL, LIST };

static const struct row {
    const char *key;
    enum type type;
    const char *initial; /* as in the environment */
    const char *meaning;
} rows[] = {
#define CONF(key, type, initial, meaning) { key, type, initial, meaning },
#include "text/conf.def"
#undef CONF
};

struct value {
    char *text;     /* LIST: its items, each with its NUL */
    int64_t number; /* INT, BOOL: the value; LIST: how many items */
};

struct conf {
    struct value value[countof(rows)]; /* as in rows[] */
};

/* ---- one value ---- */

/* Say what a value must be. `where` is a variable, or a file and key. */
static bool reject_type(struct err *err, const char *where, enum type type)
{
    static const char *const kinds[] = {
        [STR] = "a text",
        [INT] = "a whole number, 0 or more",
        [BOOL] = "true or false",
        [LIST] = "a list of texts without commas in them",
    };
    return err_set(err, ERR_INVALID_VALUE, "%s must be %s", where, kinds[type]);
}

/* Items separated by commas. An empty item is invalid, but an empty text is an empty list. */
static bool split_list(const char *text, struct buf *items, int64_t *count)
{
    if (text_trim(text_of(text)).size == 0)
        return true;
    for (;;) {
        size_t size = strcspn(text, ",");
        struct text item = text_trim((struct text){ text, size });
        if (item.size == 0)
            return false;
        buf_add(items, item.bytes, item.size);
        buf_add_byte(items, '\0');
        ++*count;
        if (text[size] == '\0')
            return !items->full;
        text += size + 1;
    }
}

static bool parse_value(enum type type, const char *text, struct buf *parsed, int64_t *number)
{
    switch (type) {
    case STR:
        return buf_add_str(parsed, text);
    case INT:
        return num_parse(text_of(text), JSON_INTEGER_MAX, number);
    case BOOL:
        *number = strcmp(text, "true") == 0;
        return *number || strcmp(text, "false") == 0;
    case LIST:
        return split_list(text, parsed, number);
    }
    return false;
}

static bool set_value(struct conf *conf, const struct row *row, const char *text, const char *where,
                      struct err *err)
{
    struct value *value = &conf->value[row - rows];
    scoped(buf_free) struct buf parsed = BUF(LIST_MAX_BYTES);
    int64_t number = 0;
    if (!parse_value(row->type, text, &parsed, &number))
        return reject_type(err, where, row->type);
    mem_free(&value->text);
    value->text = buf_take(&parsed);
    value->number = number;
    return true;
}

static void set_defaults(struct conf *conf)
{
    for (size_t i = 0; i < countof(rows); i++) {
        bool ok = set_value(conf, &rows[i], rows[i].initial, rows[i].key, NULL);
        assert(ok);
        (void)ok;
    }
}

/* ---- the file ---- */

static bool is_string_without_nul(const cJSON *node)
{
    struct text text = json_text_of(node);
    return cJSON_IsString(node) && !memchr(text.bytes, '\0', text.size);
}

/* The items of a list, separated by commas. */
static bool join_list(const cJSON *list, struct buf *out)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (!is_string_without_nul(item) || strchr(item->valuestring, ','))
            return false;
        if (item != list->child)
            buf_add_byte(out, ',');
        buf_add_str(out, item->valuestring);
    }
    return !out->full;
}

/* A node as in the environment; false if it has another type. */
static bool spell_node(enum type type, const cJSON *node, struct buf *out)
{
    if (type == LIST && cJSON_IsArray(node))
        return join_list(node, out);
    if (type == STR || type == LIST)
        return is_string_without_nul(node) && buf_add_str(out, node->valuestring);
    bool suits = type == INT ? json_is_integer(node) : cJSON_IsBool(node);
    return suits && json_print(node, out);
}

static bool set_node(struct conf *conf, const struct row *row, const cJSON *node, const char *where,
                     struct err *err)
{
    scoped(buf_free) struct buf text = BUF(LIST_MAX_BYTES);
    if (!spell_node(row->type, node, &text))
        return reject_type(err, where, row->type);
    return set_value(conf, row, buf_str(&text), where, err);
}

static bool is_section(const char *key)
{
    size_t size = strlen(key);
    for (size_t i = 0; i < countof(rows); i++)
        if (strncmp(rows[i].key, key, size) == 0 && rows[i].key[size] == '.')
            return true;
    return false;
}

/* The members of a section; prefix is its name and a dot. */
static bool set_members(struct conf *conf, const char *path, const char *prefix,
                        const cJSON *section, struct err *err)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, section) {
        scoped(mem_free) char *key = str_format("%s%s", prefix, member->string);
        scoped(mem_free) char *where = str_format("%s: %s", path, key);
        scoped(mem_free) char *inner = str_format("%s.", key);
        bool is_one_name = !strchr(member->string, '.');
        const struct row *row = is_one_name ? TABLE_FIND(rows, key) : NULL;
        if (!row && !(is_one_name && is_section(key)))
            return err_set(err, ERR_INVALID_VALUE, "%s is not a known setting", where);
        if (!row && !cJSON_IsObject(member) && !cJSON_IsNull(member))
            return err_set(err, ERR_INVALID_VALUE, "%s must be a mapping of settings", where);
        if (!(row ? set_node(conf, row, member, where, err)
                  : set_members(conf, path, inner, member, err)))
            return false;
    }
    return true;
}

static bool load_file(struct conf *conf, const char *path, struct err *err)
{
    scoped(json_free) cJSON *tree = NULL;
    if (!yaml_load(path, &tree, err))
        return false;
    if (!cJSON_IsObject(tree) && !cJSON_IsNull(tree))
        return err_set(err, ERR_INVALID_VALUE, "%s: must be a mapping of settings", path);
    return set_members(conf, path, "", tree, err);
}

/* ---- the environment ---- */

/* bus.listen is BUS_LISTEN */
static bool is_variable_of(const char *key, const char *name)
{
    for (; *key && *name; key++, name++)
        if (*name != (*key == '.' ? '_' : toupper((unsigned char)*key)))
            return false;
    return *key == *name;
}

static const struct row *row_of_variable(const char *name)
{
    for (size_t i = 0; i < countof(rows); i++)
        if (is_variable_of(rows[i].key, name))
            return &rows[i];
    return NULL;
}

static bool load_variable(struct conf *conf, const char *variable, struct err *err)
{
    size_t size = strcspn(variable, "=");
    scoped(mem_free) char *name = mem_dup(variable, size);
    if (strncmp(name, ENV_PREFIX, strlen(ENV_PREFIX)) != 0 || strcmp(name, CONF_VARIABLE) == 0)
        return true;
    const struct row *row = row_of_variable(name + strlen(ENV_PREFIX));
    if (!row || variable[size] != '=')
        return err_set(err, ERR_INVALID_VALUE, "%s in the environment is not a known setting",
                       name);
    return set_value(conf, row, variable + size + 1, name, err);
}

static bool load_environment(struct conf *conf, struct err *err)
{
    for (char **variable = environ; variable && *variable; variable++)
        if (!load_variable(conf, *variable, err))
            return false;
    return true;
}

bool conf_load(const char *path, struct conf **conf, struct err *err)
{
    scoped(conf_free) struct conf *loaded = mem_new(sizeof(*loaded));
    set_defaults(loaded);
    if (path && !load_file(loaded, path, err))
        return false;
    if (!load_environment(loaded, err))
        return false;
    *conf = take(loaded);
    return true;
}

bool conf_open(int argc, char **argv, const char *name, struct conf **conf, struct err *err)
{
    enum log_level level;
    const char *path = getenv(CONF_VARIABLE);
    if (argc == 3 && strcmp(argv[1], "--config") == 0)
        path = argv[2];
    else if (argc != 1)
        return err_set(err, ERR_INVALID_VALUE, "usage: %s [--config FILE]", argv[0]);
    if (!conf_load(path, conf, err))
        return false;
    if (!log_level_parse(conf_str(*conf, "log.level"), &level))
        return err_set(err, ERR_INVALID_VALUE, "log.level must be debug, info, warn or error");
    log_open(name, level);
    return true;
}

void conf_free(struct conf **conf)
{
    if (!*conf)
        return;
    for (size_t i = 0; i < countof(rows); i++)
        mem_free(&(*conf)->value[i].text);
    mem_free(conf);
}

/* ---- reading values ---- */

static const struct value *find_value(const struct conf *conf, const char *key, enum type type)
{
    const struct row *row = TABLE_FIND(rows, key);
    assert(row && row->type == type);
    return &conf->value[row - rows];
}

const char *conf_str(const struct conf *conf, const char *key)
{
    return find_value(conf, key, STR)->text;
}

int64_t conf_int(const struct conf *conf, const char *key)
{
    return find_value(conf, key, INT)->number;
}

bool conf_check_range(const struct conf *conf, const char *key, int64_t min, int64_t max,
                      struct err *err)
{
    int64_t value = conf_int(conf, key);
    return (value >= min && value <= max) ||
           err_set(err, ERR_INVALID_VALUE, "%s must be %lld to %lld", key, (long long)min,
                   (long long)max);
}

bool conf_bool(const struct conf *conf, const char *key)
{
    return find_value(conf, key, BOOL)->number != 0;
}

const char *conf_item(const struct conf *conf, const char *key, size_t i)
{
    const struct value *list = find_value(conf, key, LIST);
    if (i >= (size_t)list->number)
        return NULL;
    const char *item = list->text;
    while (i-- > 0)
        item += strlen(item) + 1;
    return item;
}

bool conf_networks(const struct conf *conf, const char *key, struct cidrs *networks,
                   struct err *err)
{
    const char *item;
    for (size_t i = 0; (item = conf_item(conf, key, i)); i++)
        if (!cidrs_add(networks, text_of(item), err))
            return err_set(err, ERR_INVALID_VALUE, "%s: item %zu is not a network", key, i + 1);
    return true;
}

bool conf_secret(const struct conf *conf, const char *key, char **secret, struct err *err)
{
    scoped(buf_free) struct buf content = BUF(SECRET_MAX_BYTES);
    const char *path = conf_str(conf, key);
    struct err inner = { 0 };
    if (!*path)
        return err_set(err, ERR_INVALID_VALUE, "%s is not set", key);
    if (!file_read(path, &content, &inner))
        return err_set(err, ERR_INVALID_VALUE, "%s: %s", key, inner.message);
    while (content.size > 0 && isspace((unsigned char)content.bytes[content.size - 1]))
        content.bytes[--content.size] = '\0';
    if (content.size == 0)
        return err_set(err, ERR_INVALID_VALUE, "%s: %s: is empty", key, path);
    if (strlen(content.bytes) < content.size)
        return err_set(err, ERR_INVALID_VALUE, "%s: %s: contains a NUL byte", key, path);
    *secret = buf_take(&content);
    return true;
}

bool conf_describe(struct buf *out)
{
    struct text section = TEXT("");
    for (size_t i = 0; i < countof(rows); i++) {
        const struct row *row = &rows[i];
        const char *dot = strchr(row->key, '.');
        struct text head = { row->key, dot ? (size_t)(dot - row->key) : 0 };
        if (head.size > 0 &&
            (head.size != section.size || memcmp(head.bytes, section.bytes, head.size) != 0))
            buf_format(out, "\n%.*s:\n", (int)head.size, head.bytes);
        section = head;
        const char *indent = dot ? "  " : "";
        buf_format(out, "%s# %s\n%s%s: ", indent, row->meaning, indent, dot ? dot + 1 : row->key);
        if (row->type == INT || row->type == BOOL)
            buf_add_str(out, row->initial);
        else
            json_print_text(text_of(row->initial), out);
        buf_add_byte(out, '\n');
    }
    return !out->full;
}
