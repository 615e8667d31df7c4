/*
 * common/probe/grade.h - the letters that scores of 0 to 100 have in all reports that have no scale
 * of their own.
 */
#pragma once

#include <stdbool.h>

/* "A+" from 95 on, "A" 85, "B" 70, "C" 55, "D" 40, else "F". What is not excellent, for a reason of
 * the report's own, has no A+. */
const char *grade_of(int score, bool is_excellent);
