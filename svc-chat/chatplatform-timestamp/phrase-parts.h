/* svc-chat/chatplatform-timestamp/phrase-parts.h - the parts that phrase.c joins. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "phrase.h"

enum { PIECES_MAX = 40, PIECE_BYTES = 12, PHRASE_DAY_SECONDS = 86400 };

enum piece_kind { PIECE_END, PIECE_NUMBER, PIECE_WORD, PIECE_MARK };

struct piece {
    enum piece_kind kind;
    bool is_glued; /* no blank before it */
    int64_t number;
    size_t digits;
    char word[PIECE_BYTES]; /* in lower case; of a mark, its character */
};

/* A text as a list of pieces, and the next one to read. The last one is PIECE_END. */
struct pieces {
    struct piece at[PIECES_MAX + 1];
    size_t next;
};

/* false: other characters than those of phrases, or too many pieces. */
bool pieces_read(const char *text, struct pieces *pieces) must_check;

/* The piece `ahead` places after the next one. */
const struct piece *pieces_peek(const struct pieces *pieces, size_t ahead);

/* Is the piece this word or mark, or one of a list of words, separated by blanks? */
bool piece_is(const struct piece *piece, const char *word);
bool piece_is_one_of(const struct piece *piece, const char *words);

/* Skip the next piece if it is this word or mark. */
bool pieces_take(struct pieces *pieces, const char *word);

/* A distance from the reference instant: "2 hours and 30 minutes". */
struct span {
    int64_t ms;
    int64_t months;
    bool is_past;
    bool has_days_only; /* no unit below a day */
    char words[PHRASE_READING_BYTES / 2];
};

/* Read a span at the start of pieces. False: they start with something else, and are unchanged. */
bool span_take(struct pieces *pieces, struct span *span) must_check;

/* The local time of an instant, as seconds since 1970-01-01 00:00 on that clock. */
int64_t phrase_local(const struct phrase_context *context, int64_t unix_s);

/* The instant at a span from now. Months keep the day if the month has it. */
void span_resolve(const struct span *span, const struct phrase_context *context,
                  struct instant *instant);

/*
 * Read the rest of pieces as a day, a time and a zone in any order. `day` is the day that a span
 * selected, in days since 1970; NULL: none.
 */
enum phrase_fit moment_read(struct pieces *pieces, const int64_t *day,
                            const struct phrase_context *context, struct instant *instant,
                            struct buf *reading, struct err *err) must_check;

/* 1 to 12 if the word is a month's name or its first letters, else 0; in full from 3 letters. */
int phrase_month(const struct piece *piece);

/* A date that `from` begins, and what the reader should know about how it was read. */
struct date {
    bool is_found;
    bool is_ambiguous; /* day and month could be swapped */
    bool has_year;
    int64_t year, month, day;
    const char *note; /* NULL: nothing */
};

/* Read a date at the start of pieces, and skip it. */
void date_take(struct pieces *pieces, enum phrase_order order, struct date *date);

/* Days since 1970; false if the month does not have that day. */
bool date_days(int64_t year, int64_t month, int64_t day, int64_t *days) must_check;
