/* common/text/passwords/lexicon.c - lookup in sorted words, letter by letter. */
#include "text/passwords/lexicon.h"

#include "base/codec/utf8.h"

static unsigned char byte_at(const struct walk *walk, size_t word)
{
    const struct lexicon *lexicon = walk->lexicon;
    return (unsigned char)lexicon->bytes[lexicon->words[word].offset + walk->depth];
}

/* The first word of the range whose next byte is at least `least`. */
static size_t lower_bound(const struct walk *walk, unsigned least)
{
    size_t begin = walk->begin;
    size_t end = walk->end;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (byte_at(walk, middle) < least)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static bool step_byte(struct walk *walk, unsigned char byte)
{
    walk->begin = lower_bound(walk, byte);
    walk->end = lower_bound(walk, byte + 1U);
    walk->depth++;
    return walk->begin < walk->end;
}

struct walk walk_start(const struct lexicon *lexicon)
{
    return (struct walk){ .lexicon = lexicon, .end = lexicon->count };
}

bool walk_step(struct walk *walk, uint32_t code_point)
{
    char room[5];
    struct buf utf8 = { .bytes = room, .capacity = 4, .max_bytes = 4 };
    if (code_point == 0) /* the end of a word, never a letter */
        return false;
    utf8_add(&utf8, code_point);
    for (size_t i = 0; i < utf8.size; i++)
        if (!step_byte(walk, (unsigned char)utf8.bytes[i]))
            return false;
    return true;
}

const struct word *walk_word(const struct walk *walk)
{
    return byte_at(walk, walk->begin) == '\0' ? &walk->lexicon->words[walk->begin] : NULL;
}
