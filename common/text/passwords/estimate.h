/*
 * common/text/passwords/estimate.h - estimates the guesses that a password takes.
 *
 * Why not Debian's libzxcvbn (2.5): it counts bytes, so a Russian word of six letters takes 10^24
 * guesses instead of 10^6; it stops at U+0000; and it does not report which word of which list
 * matched, which feedback and `patterns` need. Its estimates also differ from zxcvbn 4: for
 * Tr0ub4dour&3 it says 10^9.3 guesses, this code 10^7.3.
 */
#pragma once

#include "text/passwords/match.h"

enum { ESTIMATE_POINTS_MAX = 128 }; /* code points that are rated; time grows quadratically */

struct estimate {
    double guesses;          /* 1..DBL_MAX */
    struct matches sequence; /* the parts with the fewest guesses together, in order */
    bool has_user_input;     /* it contains a user input of at least 3 characters */
};

/*
 * Estimate a phrase of at most ESTIMATE_POINTS_MAX code points into *estimate (zero before), which
 * the caller releases.
 */
void estimate_guesses(const struct phrase *phrase, struct estimate *estimate);
void estimate_free(struct estimate *estimate); /* wiped */
