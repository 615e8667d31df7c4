/*
 * svc-chat/platform/bits.h - bit fields with named bits, in common notations: "8", 8, "0x8",
 * "0b1000", "ADMINISTRATOR", "Administrator", ["administrator", "8"], "BAN_MEMBERS | KICK_MEMBERS",
 * "PermissionFlagsBits.BanMembers", "PermissionBanMembers".
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "svc/job.h"

#define BIT(number) (UINT64_C(1) << (number))

struct bit_word {
    const char *name;
    uint64_t mask;
};

/* The words of one kind of bit field. */
struct bit_vocabulary {
    const char *kind;             /* "permission", for messages */
    enum err_kind unknown;        /* error for an unknown word */
    uint64_t max;                 /* maximum value */
    const struct bit_word *words; /* names, aliases and groups; case, - and _ are ignored */
    size_t word_count;
};

/*
 * A value from JSON: a text, an integer, or a list of them, combined by OR. `field` is used in
 * errors. Errors: ERR_PRECISION_LOSS for a number above 2^53 - 1; ERR_INVALID_BITFIELD for a number
 * that is negative, too large or malformed; vocabulary->unknown for an unknown word.
 */
bool bits_read(const struct bit_vocabulary *vocabulary, const char *field, const cJSON *value,
               uint64_t *bits, struct err *err) must_check;

/* As bits_read(), for a field of a job's request; 0 if it is absent. */
bool bits_arg(const struct job *job, const char *field, const struct bit_vocabulary *vocabulary,
              uint64_t *bits, struct err *err) must_check;

/* Members of a result: "0x1f", "0b11111", and the bit numbers. */
void bits_add_hex(cJSON *object, const char *name, uint64_t bits);
void bits_add_binary(cJSON *object, const char *name, uint64_t bits);
void bits_add_numbers(cJSON *object, const char *name, uint64_t bits);
