/* svc-security/tech-detect/literals.c - the automaton, a table with a row per state. */
#include "literals.h"

#include <assert.h>

#include "base/mem.h"
#include "base/num.h"

enum { NONE = 0 /* no hit; as a suffix, the root */ };

struct hit {
    uint32_t id;
    uint32_t next; /* 1 + index of the next hit of this state, or NONE */
};

struct state {
    uint32_t hit;    /* 1 + index of the first hit */
    uint32_t suffix; /* longest proper suffix that is a state */
};

struct literals {
    uint8_t class_of[256]; /* class of a byte; 0: not in any literal */
    uint32_t classes;
    struct hit *hit;
    uint32_t hit_count;
    char **text; /* by hit, until literals_finish() */
    struct state *state;
    uint32_t state_count;
    uint32_t *next; /* by state and class; in the trie, NONE means no child */
};

struct literals *literals_new(void)
{
    struct literals *literals = mem_new(sizeof(*literals));
    literals->classes = 1;
    return literals;
}

static void free_texts(struct literals *literals)
{
    for (uint32_t i = 0; i < literals->hit_count && literals->text; i++)
        mem_free(&literals->text[i]);
    mem_free(&literals->text);
}

void literals_free(struct literals **literals)
{
    if (!*literals)
        return;
    free_texts(*literals);
    mem_free(&(*literals)->hit);
    mem_free(&(*literals)->state);
    mem_free(&(*literals)->next);
    mem_free(literals);
}

/* Upper and lower case have the same class. */
static void set_class(struct literals *literals, unsigned char byte)
{
    if (literals->class_of[byte])
        return;
    literals->class_of[byte] = (uint8_t)literals->classes++;
    if (byte >= 'a' && byte <= 'z')
        literals->class_of[byte - 0x20] = literals->class_of[byte];
}

void literals_add(struct literals *literals, const char *text, uint32_t id)
{
    uint32_t count = literals->hit_count++;
    assert(*text && !literals->state);
    literals->hit = mem_resize(literals->hit, (count + 1) * sizeof(*literals->hit));
    literals->text = mem_resize(literals->text, (count + 1) * sizeof(*literals->text));
    literals->hit[count] = (struct hit){ .id = id };
    literals->text[count] = str_dup(text);
    for (; *text; text++)
        set_class(literals, (unsigned char)*text);
}

static uint32_t *row_of(const struct literals *literals, uint32_t state)
{
    return literals->next + (size_t)state * literals->classes;
}

static void insert_literal(struct literals *literals, uint32_t hit)
{
    uint32_t state = 0;
    for (const char *byte = literals->text[hit]; *byte; byte++) {
        uint32_t *child = &row_of(literals, state)[literals->class_of[(unsigned char)*byte]];
        if (*child == NONE)
            *child = literals->state_count++;
        state = *child;
    }
    literals->hit[hit].next = literals->state[state].hit;
    literals->state[state].hit = hit + 1;
}

/* A state also has the hits of its suffix, so join the lists. */
static void join_hits(struct literals *literals, struct state *state)
{
    uint32_t *end = &state->hit;
    while (*end != NONE)
        end = &literals->hit[*end - 1].next;
    *end = literals->state[state->suffix].hit;
}

/* Set the transitions of a state whose suffix is known, and the suffixes of its children. States
 * come in order of length, so a suffix is complete before its use. */
static void link_children(struct literals *literals, uint32_t state, uint32_t *queue,
                          uint32_t *queued)
{
    uint32_t *row = row_of(literals, state);
    const uint32_t *suffix_row = row_of(literals, literals->state[state].suffix);
    for (uint32_t i = 0; i < literals->classes; i++) {
        uint32_t beyond = state == 0 ? 0 : suffix_row[i];
        if (row[i] == NONE) {
            row[i] = beyond;
            continue;
        }
        literals->state[row[i]].suffix = beyond;
        join_hits(literals, &literals->state[row[i]]);
        queue[(*queued)++] = row[i];
    }
}

void literals_finish(struct literals *literals)
{
    size_t states = 1;
    for (uint32_t i = 0; i < literals->hit_count; i++)
        states += text_of(literals->text[i]).size;
    literals->state = mem_array(states, sizeof(*literals->state));
    literals->next = mem_array(states * literals->classes, sizeof(*literals->next));
    literals->state_count = 1;
    for (uint32_t i = 0; i < literals->hit_count; i++)
        insert_literal(literals, i);
    free_texts(literals);

    scoped(mem_free) uint32_t *queue = mem_array(states, sizeof(*queue));
    uint32_t queued = 1; /* starts with the root */
    for (uint32_t done = 0; done < queued; done++)
        link_children(literals, queue[done], queue, &queued);
}

bool literals_next(const struct literals *literals, struct literals_scan *scan, uint32_t *id)
{
    while (scan->pending == NONE) {
        if (scan->at >= scan->text.size)
            return false;
        unsigned char byte = (unsigned char)scan->text.bytes[scan->at++];
        scan->state = row_of(literals, scan->state)[literals->class_of[byte]];
        scan->pending = literals->state[scan->state].hit;
    }
    const struct hit *hit = &literals->hit[scan->pending - 1];
    *id = hit->id;
    scan->pending = hit->next;
    return true;
}
