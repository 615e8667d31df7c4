/*
 * svc-reports/html-report/quantities.h - format values of a result for people.
 */
#pragma once

#include <cjson/cJSON.h>

#include "html-report/html-report.h"

struct quantity {
    char text[64];
};

/* The number at a JSON pointer, or 0. */
double number_at(const cJSON *tree, const char *pointer);

/* "512 B", "12.6 kB", "1.47 MB"; "0.4 ms", "805 ms", "3.10 s"; "88 µg", "24.10 mg", "0.242 g",
 * "2.42 kg"; "1,936.5". */
struct quantity size_text(double bytes);
struct quantity ms_text(double ms);
struct quantity gram_text(double grams);
struct quantity count_text(double count);
struct quantity percent_text(double percent);

/* Percentage of `part` in `whole`, 0 to 100. */
int percent_of(double part, double whole);

/* Tone of a grade: good for A+ and A, fair for B and C, bad for the rest. */
enum tone tone_of_grade(const char *grade);
