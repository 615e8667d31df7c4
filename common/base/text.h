/*
 * common/base/text.h - a borrowed range of bytes, with comparisons and cuts.
 *
 * Nothing is copied: a returned text points into the one that was passed. Bytes are compared as
 * they are in every locale. In functions with any_case, upper and lower case of ASCII letters are
 * equal. A NUL in a text is a normal byte; strings (const char *) end at theirs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/scoped.h"

/*
 * Borrowed bytes, which may contain NUL, and are not terminated by one unless their source says so.
 * bytes may be NULL if the text is empty.
 */
struct text {
    const char *bytes;
    size_t size;
};

#define TEXT(literal) ((struct text){ (literal), sizeof(literal) - 1 })

struct text text_of(const char *string); /* NULL gives an empty text */

/* ---- predicates ---- */

bool text_equals(struct text a, struct text b);

/*
 * Is it equal to this string? Does it begin with it? Does it contain it? Every text begins with the
 * empty string and contains it.
 */
bool text_is(struct text text, const char *string);
bool text_begins(struct text text, const char *string);
bool text_has(struct text text, const char *string);

bool text_is_any_case(struct text text, const char *string);
bool text_begins_any_case(struct text text, const char *string);
bool text_has_any_case(struct text text, const char *string);
bool text_is_among(struct text text, const char *const *strings, size_t count); /* in any case */

bool text_is_digits(struct text text); /* 0 to 9, one or more */

/* Is it only ASCII? Only these bytes, without NUL? True for an empty text. */
bool text_is_ascii(struct text text);
bool text_is_made_of(struct text text, const char *bytes);

/* ---- cutting ---- */

struct text text_trim(struct text text); /* without ascii_is_space() at both ends */

/* Without bytes in `front` at its start and in `back` at its end; NUL counts as one of them. */
struct text text_strip(struct text text, const char *front, const char *back);

/* The part before the first of these bytes or the first NUL; else the whole text. */
struct text text_before(struct text text, const char *bytes);

/* The text without its first bytes, of which it must have that many. */
static inline must_check struct text text_skip(struct text text, size_t bytes)
{
    return (struct text){ text.bytes + bytes, text.size - bytes };
}

/*
 * Take the part before the separator off *rest, with the separator; all of *rest if not found.
 * "a," gives "a", then nothing is left: loop while rest->size > 0.
 */
struct text text_cut(struct text *rest, char separator);

/* Take the first byte off *rest if it is one of these. */
bool text_take_byte(struct text *rest, const char *one_of);

/* ---- changing a string in place ---- */

/* Remove bytes that are not UTF-8 from a string, such as a character that %.20s has cut. */
void text_repair(char *string);
