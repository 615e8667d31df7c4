/*
 * common/text/passwords/estimate.h - how many guesses a password takes.
 *
 * Why not Debian's libzxcvbn (2.5): it counts bytes, so that a Russian word of six letters takes
 * 10^24 guesses where it is 10^6, it ends at U+0000, and it does not tell which word of which list
 * it found, on which feedback and `patterns` rest. Nor are its estimates those of zxcvbn 4:
 * Tr0ub4dour&3 takes 10^9.3 guesses there, 10^7.3 here.
 */
#pragma once

#include "text/passwords/match.h"

enum { ESTIMATE_POINTS_MAX = 128 }; /* code points that are looked at; time grows with the square */

struct estimate {
    double guesses;          /* 1..DBL_MAX */
    struct matches sequence; /* the parts that make the fewest guesses together, in order */
    bool has_user_input;     /* it holds a user input of at least 3 characters anywhere */
};

/* Estimate a phrase of at most ESTIMATE_POINTS_MAX code points into *estimate (zero before), which
 * the caller releases. */
void estimate_guesses(const struct phrase *phrase, struct estimate *estimate);
void estimate_free(struct estimate *estimate); /* wiped */
