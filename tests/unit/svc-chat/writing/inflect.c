/* tests/unit/svc-chat/writing/inflect.c - the forms of English words. */
#include "writing/inflect.h"

#include "base/buf.h"
#include "rows.h"

static const struct row {
    const char *name; /* the word */
    void (*inflect)(struct text word, inflect_each *each, void *argument);
    const char *forms;
} rows[] = {
    { "dog", inflect_noun, " dogs dogz" },
    { "bitch", inflect_noun, " bitches bitchez" },
    { "ass", inflect_noun, " asses assez" },
    { "pussy", inflect_noun, " pussies pussiez" },
    { "gay", inflect_noun, " gays gayz" },
    { "y", inflect_noun, " ys yz" },
    { "kick", inflect_verb, " kicks kicked kicking kickin kicker kickers" },
    { "rape", inflect_verb, " rapes raped raping rapin raper rapers" },
    { "shag", inflect_verb, " shags shagged shagging shaggin shagger shaggers" },
    { "screw", inflect_verb, " screws screwed screwing screwin screwer screwers" },
    { "punch", inflect_verb, " punches punched punching punchin puncher punchers" },
    { "e", inflect_verb, " es ed ing in er ers" },
};

static void add(struct text form, void *argument)
{
    struct buf *forms = argument;
    buf_add_byte(forms, ' ');
    buf_add(forms, form.bytes, form.size);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf forms = BUF(256);
    row->inflect(text_of(row->name), add, &forms);
    assert_string_equal(buf_str(&forms), row->forms);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
