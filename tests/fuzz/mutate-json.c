/* tests/fuzz/mutate-json.c - libFuzzer's mutators for targets that read JSON. Random bytes rarely
 * get past a JSON parser, so these change values, members and names of an input, or exchange parts
 * of two. Inputs that are not JSON, and one of four that are, are mutated by libFuzzer as bytes. */
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/scoped.h"
#include "target.h"

enum { NODES_MAX = 4096, TEXT_MAX_BYTES = 4096, ROUNDS_MAX = 4 };

/* libFuzzer's functions: the first mutates bytes, the others are called if they exist. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *bytes, size_t size, const uint8_t *other_bytes,
                                 size_t other_size, uint8_t *out, size_t max_size, unsigned seed);

/* Values at which parsers, limits and sizes of integers change. */
static const char *const values[] = {
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967296",
    "9007199254740993",
    "1e308",
    "-1e308",
    "1e-308",
    "0.1",
    "\"\"",
    "\" \"",
    "\"0\"",
    "\"\\u0000\"",
    "\"\\u202e\"",
    "\"\\ud83d\\ude00\"",
    "\"2024-02-29\"",
    "\"#/\"",
    "\"18446744073709551616\"",
    "[]",
    "{}",
    "[[]]",
    "{\"\":{}}",
    "[null,null]",
};

/* A document's nodes in the order of a walk; the first is the root. */
struct nodes {
    cJSON *node[NODES_MAX];
    cJSON *parent[NODES_MAX];
    size_t count;
};

static void list_nodes(cJSON *node, cJSON *parent, struct nodes *nodes)
{
    cJSON *child;
    if (nodes->count == NODES_MAX)
        return;
    nodes->node[nodes->count] = node;
    nodes->parent[nodes->count++] = parent;
    cJSON_ArrayForEach(child, node)
        list_nodes(child, node, nodes);
}

/* Good enough for choices, and the same for the same seed. */
static size_t pick(unsigned *seed, size_t count)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % count;
}

static cJSON *any_value(unsigned *seed)
{
    return cJSON_Parse(values[pick(seed, countof(values))]);
}

/* Puts the new node where the old one was, and frees the old one. */
static void replace(cJSON *parent, cJSON *old, cJSON *new)
{
    if (new && old->string) {
        free(new->string);
        new->string = str_dup(old->string);
    }
    if (!new || !cJSON_ReplaceItemViaPointer(parent, old, new))
        cJSON_Delete(new);
}

static void mutate_text(char **text)
{
    uint8_t bytes[TEXT_MAX_BYTES + 1];
    size_t size = *text ? MIN(strlen(*text), (size_t)TEXT_MAX_BYTES) : 0;
    if (size > 0)
        memcpy(bytes, *text, size);
    size = LLVMFuzzerMutate(bytes, size, TEXT_MAX_BYTES);
    bytes[size] = '\0'; /* a zero byte ends it sooner */
    free(*text);
    *text = str_dup((const char *)bytes);
}

/* ---- one change of a node that has a parent ---- */

struct change {
    cJSON *root;
    cJSON *parent;
    cJSON *node;
    const cJSON *other; /* any node of the same or of another document, not freed before its copy */
    unsigned *seed;
};

static void set_value(const struct change *change)
{
    replace(change->parent, change->node, any_value(change->seed));
}

static void set_other(const struct change *change)
{
    replace(change->parent, change->node, cJSON_Duplicate(change->other, true));
}

static void remove_node(const struct change *change)
{
    cJSON_Delete(cJSON_DetachItemViaPointer(change->parent, change->node));
}

/* With the same name in an object: members may be there twice. */
static void repeat_node(const struct change *change)
{
    cJSON *copy = cJSON_Duplicate(change->node, true);
    if (cJSON_IsObject(change->parent))
        cJSON_AddItemToObject(change->parent, change->node->string, copy);
    else
        cJSON_AddItemToArray(change->parent, copy);
}

static void add_other(const struct change *change)
{
    cJSON *copy = cJSON_Duplicate(change->other, true);
    if (cJSON_IsObject(change->node))
        cJSON_AddItemToObject(change->node, change->other->string ? change->other->string : "x",
                              copy);
    else if (!cJSON_IsArray(change->node) || !cJSON_AddItemToArray(change->node, copy))
        cJSON_Delete(copy);
}

static void rename_node(const struct change *change)
{
    if (!change->node->string)
        return;
    if (change->other->string && change->other != change->node && pick(change->seed, 2) == 0) {
        free(change->node->string);
        change->node->string = str_dup(change->other->string);
    } else {
        mutate_text(&change->node->string);
    }
}

static void mutate_value(const struct change *change)
{
    if (cJSON_IsString(change->node))
        mutate_text(&change->node->valuestring);
    else
        set_value(change);
}

static void wrap_node(const struct change *change)
{
    cJSON *list = cJSON_CreateArray();
    cJSON_AddItemToArray(list, cJSON_Duplicate(change->node, true));
    replace(change->parent, change->node, list);
}

static void (*const changes[])(const struct change *change) = {
    set_value, set_other, remove_node, repeat_node, add_other, rename_node, mutate_value, wrap_node,
};

static void change_once(cJSON *root, const struct nodes *others, unsigned *seed)
{
    static struct nodes nodes; /* libFuzzer has one thread */
    nodes.count = 0;
    list_nodes(root, NULL, &nodes);
    if (nodes.count < 2)
        return;
    if (!others)
        others = &nodes;
    size_t at = 1 + pick(seed, nodes.count - 1);
    struct change change = { root, nodes.parent[at], nodes.node[at],
                             others->node[pick(seed, others->count)], seed };
    changes[pick(seed, countof(changes))](&change);
}

/* ---- libFuzzer's functions ---- */

static cJSON *read_json(const uint8_t *bytes, size_t size)
{
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithLengthOpts((const char *)bytes, size, &end, false);
    if (root && cJSON_IsInvalid(root)) {
        cJSON_Delete(root);
        return NULL;
    }
    return root;
}

/* Returns 0 if it does not fit. */
static size_t write_json(const cJSON *root, uint8_t *out, size_t max_size)
{
    char *text = cJSON_PrintUnformatted(root);
    size_t size = text ? strlen(text) : 0;
    if (size > max_size)
        size = 0;
    if (size > 0)
        memcpy(out, text, size);
    free(text);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max_size, unsigned seed)
{
    cJSON *root = pick(&seed, 4) == 0 ? NULL : read_json(bytes, size);
    if (!root)
        return LLVMFuzzerMutate(bytes, size, max_size);
    for (size_t round = 1 + pick(&seed, ROUNDS_MAX); round > 0; round--)
        change_once(root, NULL, &seed);
    size_t written = write_json(root, bytes, max_size);
    cJSON_Delete(root);
    return written > 0 ? written : LLVMFuzzerMutate(bytes, size, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *bytes, size_t size, const uint8_t *other_bytes,
                                 size_t other_size, uint8_t *out, size_t max_size, unsigned seed)
{
    static struct nodes others;
    cJSON *root = read_json(bytes, size);
    cJSON *other = read_json(other_bytes, other_size);
    size_t written = 0;
    if (root && other) {
        others.count = 0;
        list_nodes(other, NULL, &others);
        change_once(root, &others, &seed);
        written = write_json(root, out, max_size);
    }
    cJSON_Delete(root);
    cJSON_Delete(other);
    return written;
}
