/* svc-security/openapi-validate/diff/records.c - a hash table, by schemas and place. */
#include "records.h"

#include "base/mem.h"

enum { RECORD_SLOTS = 4096 };

/* The spot alone decides what is found: its depth does so only at the root, where a form starts. */
static bool is_same_spot(const struct schema_spot *a, const struct schema_spot *b)
{
    return diff_is_alike(a, b) && a->is_property == b->is_property &&
           a->is_turned == b->is_turned && a->is_inverse == b->is_inverse &&
           (a->depth == 0) == (b->depth == 0);
}

/* The keys are memory addresses, so input cannot cause collisions. */
static struct record **slot_of(struct diff *diff, const struct schema_spot *spot,
                               const struct node *old, const struct node *new)
{
    uint64_t key = (uint64_t)(uintptr_t)old ^ (uint64_t)(uintptr_t) new << 1 ^
                   (uint64_t)(uintptr_t)spot->name.bytes << 2;
    if (!diff->records)
        diff->records = mem_array(RECORD_SLOTS, sizeof(struct record *));
    return &diff->records[key * 0x9E3779B97F4A7C15u >> 40 & (RECORD_SLOTS - 1)];
}

const struct record *record_find(struct diff *diff, const struct schema_spot *spot,
                                 const struct node *old, const struct node *new)
{
    const struct record *record = *slot_of(diff, spot, old, new);
    while (record &&
           !(record->old == old && record->new == new &&is_same_spot(&record->spot, spot)))
        record = record->next;
    return record;
}

void record_begin(struct diff *diff, struct record *record, const struct schema_spot *spot,
                  const struct node *old, const struct node *new)
{
    *record = (struct record){ .old = old, .new = new, .spot = *spot };
    record->last = &record->first;
    record->steps_before = diff->new.check->steps_left;
    diff->record = record;
}

void record_end(struct diff *diff, const struct record *record)
{
    struct record **slot = slot_of(diff, &record->spot, record->old, record->new);
    diff->record = NULL;
    if (record->is_cut || diff->is_cut || diff->recorded == DIFF_RECORDED_MAX)
        return;
    struct record *kept = arena_get(&diff->arena, sizeof(*kept));
    *kept = *record;
    kept->steps = record->steps_before - diff->new.check->steps_left - record->inner_steps;
    kept->next = *slot;
    *slot = kept;
    diff->recorded++;
}

void record_schemas(struct diff *diff, const struct schema_spot *spot, const struct node *old,
                    const struct node *new)
{
    struct recorded *item = diff_record(diff);
    if (!item)
        return;
    item->spot = *spot;
    item->old = old;
    item->new = new;
}
