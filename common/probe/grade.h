/* common/probe/grade.h - letters for scores of 0 to 100, for all reports without their own
 * scale. */
#pragma once

#include <stdbool.h>

/* "A+" from 95, "A" 85, "B" 70, "C" 55, "D" 40, else "F". Without is_excellent, which the report
 * decides, there is no A+. */
const char *grade_of(int score, bool is_excellent);
