/*
 * common/base/ascii.h - letters, digits and white space of ASCII, in every locale.
 *
 * Each question takes a byte or a code point. What is beyond ASCII is none of them, so a char need
 * not be made unsigned first. Letters of all scripts are asked of libunistring (uni*.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* For text_is_made_of() and strspn(3). */
#define ASCII_ALNUM "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static inline bool ascii_is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_upper(uint32_t c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_lower(uint32_t c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_letter(uint32_t c)
{
    return ascii_is_upper(c) || ascii_is_lower(c);
}

/* A letter or a digit? */
static inline bool ascii_is_alnum(uint32_t c)
{
    return ascii_is_letter(c) || ascii_is_digit(c);
}

/* Blank, tab, line feed, vertical tab, form feed, carriage return: what C calls space. HTML's white
 * space has no vertical tab: page_is_blank(). */
static inline bool ascii_is_space(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Is it one of these characters? NUL is none. */
static inline bool ascii_is_one_of(char c, const char *these)
{
    return c && strchr(these, c);
}

/* The small letter of a capital one; any other byte as it is. */
static inline char ascii_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}
