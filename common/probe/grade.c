/* common/probe/grade.c - a score as a letter. */
#include "probe/grade.h"

const char *grade_of(int score, bool is_excellent)
{
    return score >= 95 && is_excellent ? "A+"
           : score >= 85               ? "A"
           : score >= 70               ? "B"
           : score >= 55               ? "C"
           : score >= 40               ? "D"
                                       : "F";
}
