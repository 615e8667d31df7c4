/*
 * svc-utils/password-strength/estimate.h - how many guesses a password takes.
 */
#ifndef PASSWORD_STRENGTH_ESTIMATE_H
#define PASSWORD_STRENGTH_ESTIMATE_H

#include "match.h"

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

#endif
