/* tests/unit/gateway/dispatch/fair-queue.c - accounts take turns. */
#include "gateway/dispatch/fair-queue.h"

#include <string.h>

#include "rows.h"

enum { ITEMS_MAX = 32 };

/* A letter pushes an item of that account (its n-th has the number n); "-" pops one, "+" puts the
 * last popped back in front, "!" removes the item that the next two characters name. */
static const struct row {
    const char *name;
    const char *steps;
    const char *want; /* what was popped */
    size_t want_left;
} rows[] = {
    { "nothing", "-", ".", 0 },
    { "one account: first come, first served", "aaa---", "a1a2a3", 0 },
    { "two accounts take turns", "aaab----", "a1b1a2a3", 0 },
    { "three accounts take turns", "aabbcc------", "a1b1c1a2b2c2", 0 },
    { "a new account comes after all others", "ab-c---", "a1b1c1.", 0 },
    { "an account that comes back has lost its turn", "ab-a--", "a1b1a2", 0 },
    { "put back: its account's first, and its turn", "aab-+---", "a1a1b1a2", 0 },
    { "put back into an empty queue", "a-+--", "a1a1.", 0 },
    { "put back when its account's lane is gone", "ab-+--", "a1a1b1", 0 },
    { "taken out: the first", "aaa!a1---", "a2a3.", 0 },
    { "taken out: the middle", "aaa!a2---", "a1a3.", 0 },
    { "taken out: the last, then one more", "aaa!a3a---", "a1a2a4", 0 },
    { "taken out: the only one of an account", "abc!b1---", "a1c1.", 0 },
    { "taken out: whose turn it is", "abc!a1---", "b1c1.", 0 },
    { "taken out: the only one of all", "a!a1-a-", ".a2", 0 },
    { "what is left is counted", "aab-", "a1", 2 },
};

struct test_item {
    struct fair_item item;
    char account;
    char number;
};

struct bench {
    struct fair_queue queue;
    struct test_item item[ITEMS_MAX];
    size_t count;
    struct test_item *popped;
    struct buf out;
};

static void push(struct bench *bench, char account)
{
    struct test_item *item = &bench->item[bench->count++];
    char number = '1';
    for (size_t i = 0; i + 1 < bench->count; i++)
        number = (char)(number + (bench->item[i].account == account));
    *item = (struct test_item){ .account = account, .number = number };
    item->item.account.bytes[0] = (uint8_t)account;
    fair_push(&bench->queue, &item->item);
}

static void pop(struct bench *bench)
{
    struct fair_item *item = fair_pop(&bench->queue);
    bench->popped = (struct test_item *)item;
    if (item)
        buf_format(&bench->out, "%c%c", bench->popped->account, bench->popped->number);
    else
        buf_add_byte(&bench->out, '.');
}

static void take_out(struct bench *bench, const char *which)
{
    for (size_t i = 0; i < bench->count; i++)
        if (bench->item[i].account == which[0] && bench->item[i].number == which[1])
            fair_remove(&bench->queue, &bench->item[i].item);
}

static void check(void **state)
{
    const struct row *row = *state;
    struct bench bench = { .out = BUF(100) };
    for (const char *at = row->steps; *at; at++) {
        if (*at == '-') {
            pop(&bench);
        } else if (*at == '+') {
            fair_push_front(&bench.queue, &bench.popped->item);
        } else if (*at == '!') {
            take_out(&bench, at + 1);
            at += 2;
        } else {
            push(&bench, *at);
        }
    }
    assert_string_equal(buf_str(&bench.out), row->want);
    assert_int_equal(bench.queue.count, row->want_left);
    while (fair_pop(&bench.queue)) /* frees the lanes */
        ;
    assert_int_equal(bench.queue.count, 0);
    assert_null(bench.queue.turn);
    buf_free(&bench.out);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
