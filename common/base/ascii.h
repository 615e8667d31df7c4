/*
 * common/base/ascii.h - letters, digits and white space of ASCII, in every locale.
 *
 * Each function takes a byte or a code point. A value outside ASCII belongs to no class, so a char
 * need not be converted to unsigned first. For letters of all scripts use libunistring (uni*.h).
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

/*
 * Blank, tab, line feed, vertical tab, form feed, carriage return: C's isspace(). HTML's white
 * space does not include the vertical tab: page_is_blank().
 */
static inline bool ascii_is_space(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Is it one of these characters? NUL never is. */
static inline bool ascii_is_one_of(char c, const char *these)
{
    return c && strchr(these, c);
}

/* The uppercase letter of a lowercase one; other bytes unchanged. */
static inline char ascii_upper(char c)
{
    return ascii_is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

/* The lowercase letter of an uppercase one; other bytes unchanged. */
static inline char ascii_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}
