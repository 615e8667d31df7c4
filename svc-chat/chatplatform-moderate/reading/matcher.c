/*
 * svc-chat/chatplatform-moderate/reading/matcher.c - an Aho-Corasick automaton. All edges are in
 * one hash table: patterns use any alphabet, so most nodes have one edge.
 */
#include "matcher.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

struct node {
    uint32_t parent;
    uint32_t code;  /* of the edge from it */
    uint32_t fail;  /* the longest proper suffix that begins a pattern */
    uint32_t dict;  /* the next node on the fail path where a pattern ends; 0: none */
    size_t pattern; /* 1 + the first pattern that ends here; 0: none */
    uint32_t depth;
};

struct edge {
    uint32_t from; /* `to` 0 marks a free slot: no edge leads to the root */
    uint32_t code;
    uint32_t to;
};

struct matcher {
    struct node *node;
    size_t nodes, node_capacity;
    struct edge *edge;
    size_t edges, edge_capacity; /* a power of two */
    struct pattern *pattern;
    size_t patterns, pattern_capacity;
};

enum { FIRST_CAPACITY = 256 };

struct matcher *matcher_new(void)
{
    struct matcher *matcher = mem_new(sizeof(*matcher));
    matcher->node_capacity = FIRST_CAPACITY;
    matcher->node = mem_array(FIRST_CAPACITY, sizeof(*matcher->node));
    matcher->nodes = 1; /* the root */
    matcher->edge_capacity = FIRST_CAPACITY;
    matcher->edge = mem_array(FIRST_CAPACITY, sizeof(*matcher->edge));
    return matcher;
}

void matcher_free(struct matcher **address)
{
    struct matcher *matcher = *address;
    if (!matcher)
        return;
    for (size_t i = 0; i < matcher->patterns; i++)
        mem_free(&matcher->pattern[i].code);
    mem_free(&matcher->pattern);
    mem_free(&matcher->node);
    mem_free(&matcher->edge);
    mem_free(address);
}

/* ---- edges ---- */

static struct edge *edge_place(const struct matcher *matcher, uint32_t from, uint32_t code)
{
    uint64_t hash = ((uint64_t)from << 21 ^ code) * UINT64_C(0x9E3779B97F4A7C15);
    size_t mask = matcher->edge_capacity - 1;
    size_t at = (size_t)(hash >> 20) & mask;
    while (matcher->edge[at].to != 0 &&
           (matcher->edge[at].from != from || matcher->edge[at].code != code))
        at = (at + 1) & mask;
    return &matcher->edge[at];
}

static void grow_edges(struct matcher *matcher)
{
    struct edge *old = matcher->edge;
    size_t count = matcher->edge_capacity;

    matcher->edge_capacity *= 2;
    matcher->edge = mem_array(matcher->edge_capacity, sizeof(*matcher->edge));
    for (size_t i = 0; i < count; i++)
        if (old[i].to != 0)
            *edge_place(matcher, old[i].from, old[i].code) = old[i];
    mem_free(&old);
}

static uint32_t add_node(struct matcher *matcher, uint32_t parent, uint32_t code)
{
    if (matcher->nodes == matcher->node_capacity) {
        matcher->node_capacity *= 2;
        matcher->node = mem_resize(matcher->node, matcher->node_capacity * sizeof(*matcher->node));
    }
    if (2 * ++matcher->edges > matcher->edge_capacity)
        grow_edges(matcher);
    uint32_t node = (uint32_t)matcher->nodes++;
    matcher->node[node] =
        (struct node){ .parent = parent, .code = code, .depth = matcher->node[parent].depth + 1 };
    *edge_place(matcher, parent, code) = (struct edge){ parent, code, node };
    return node;
}

/* ---- patterns ---- */

void matcher_add(struct matcher *matcher, const uint32_t *code, size_t length, enum match_type type,
                 uint16_t group, bool has_marks)
{
    uint32_t node = 0;
    if (length == 0)
        return;
    for (size_t i = 0; i < length; i++) {
        const struct edge *edge = edge_place(matcher, node, code[i]);
        node = edge->to ? edge->to : add_node(matcher, node, code[i]);
    }
    if (matcher->patterns == matcher->pattern_capacity) {
        matcher->pattern_capacity = MAX(FIRST_CAPACITY, 2 * matcher->pattern_capacity);
        matcher->pattern =
            mem_resize(matcher->pattern, matcher->pattern_capacity * sizeof(*matcher->pattern));
    }
    uint32_t *copy = mem_array(length, sizeof(*copy));
    memcpy(copy, code, length * sizeof(*copy));
    matcher->pattern[matcher->patterns++] = (struct pattern){
        .type = type,
        .group = group,
        .has_marks = has_marks,
        .code = copy,
        .length = length,
        .next = matcher->node[node].pattern,
    };
    matcher->node[node].pattern = matcher->patterns;
}

/* The node that a symbol leads to. */
static uint32_t next_node(const struct matcher *matcher, uint32_t node, uint32_t code)
{
    for (;;) {
        uint32_t to = edge_place(matcher, node, code)->to;
        if (to != 0 || node == 0)
            return to;
        node = matcher->node[node].fail;
    }
}

/* Nodes in order of depth: a suffix is shorter than its word. */
static uint32_t *nodes_by_depth(const struct matcher *matcher)
{
    uint32_t deepest = 0;
    for (size_t i = 0; i < matcher->nodes; i++)
        deepest = MAX(deepest, matcher->node[i].depth);
    scoped(mem_free) size_t *start = mem_array(deepest + 2, sizeof(*start));
    uint32_t *order = mem_array(matcher->nodes, sizeof(*order));
    for (size_t i = 0; i < matcher->nodes; i++)
        start[matcher->node[i].depth + 1]++;
    for (uint32_t depth = 0; depth < deepest; depth++)
        start[depth + 1] += start[depth];
    for (uint32_t i = 0; i < matcher->nodes; i++)
        order[start[matcher->node[i].depth]++] = i;
    return order;
}

void matcher_finish(struct matcher *matcher)
{
    scoped(mem_free) uint32_t *order = nodes_by_depth(matcher);
    for (size_t i = 1; i < matcher->nodes; i++) {
        struct node *node = &matcher->node[order[i]];
        if (node->parent != 0)
            node->fail = next_node(matcher, matcher->node[node->parent].fail, node->code);
        const struct node *fail = &matcher->node[node->fail];
        node->dict = fail->pattern != 0 ? node->fail : fail->dict;
    }
}

size_t matcher_count(const struct matcher *matcher)
{
    return matcher->patterns;
}

const struct pattern *matcher_pattern(const struct matcher *matcher, size_t index)
{
    return &matcher->pattern[index];
}

/* ---- matching ---- */

static uint32_t code_at(struct symbols symbols, size_t index)
{
    return *(const uint32_t *)(const void *)((const char *)symbols.first + index * symbols.stride);
}

static bool is_gap(struct symbols symbols, size_t index)
{
    return index >= symbols.count || code_at(symbols, index) == ' ';
}

/* Index -1 wraps around to beyond the end, which also counts as a gap. */
static bool stands_right(const struct pattern *pattern, struct symbols symbols, size_t begin,
                         size_t end)
{
    bool from_start = pattern->type == MATCH_WORD || pattern->type == MATCH_PREFIX;
    bool to_end = pattern->type == MATCH_WORD || pattern->type == MATCH_SUFFIX;
    return (!from_start || is_gap(symbols, begin - 1)) && (!to_end || is_gap(symbols, end));
}

/* Report all patterns that end here; false if found() stops the search. */
static bool report_matches(const struct matcher *matcher, uint32_t node, struct symbols symbols,
                           size_t end, matcher_found *found, void *context)
{
    for (; node != 0; node = matcher->node[node].dict) {
        for (size_t next = matcher->node[node].pattern; next != 0;) {
            const struct pattern *pattern = &matcher->pattern[next - 1];
            size_t begin = end - pattern->length;
            if (stands_right(pattern, symbols, begin, end) && !found(pattern, begin, end, context))
                return false;
            next = pattern->next;
        }
    }
    return true;
}

void matcher_run(const struct matcher *matcher, struct symbols symbols, matcher_found *found,
                 void *context)
{
    uint32_t node = 0;
    for (size_t i = 0; i < symbols.count; i++) {
        node = next_node(matcher, node, code_at(symbols, i));
        if (!report_matches(matcher, node, symbols, i + 1, found, context))
            return;
    }
}
