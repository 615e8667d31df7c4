/*
 * svc-reports/paper/words.h - values of a result as people read them, printed into a small text of
 * the caller's.
 */
#pragma once

#include <cjson/cJSON.h>

#include "paper/paper.h"

struct words {
    char text[64];
};

/* The number at a JSON pointer; 0 when there is none. */
double number_at(const cJSON *tree, const char *pointer);

/* "512 B", "12.6 kB", "1.47 MB"; "0.4 ms", "805 ms", "3.10 s"; "88 µg", "24.10 mg", "0.242 g",
 * "2.42 kg"; "1,936.5". */
struct words size_words(double bytes);
struct words ms_words(double ms);
struct words gram_words(double grams);
struct words count_words(double count);
struct words percent_words(double percent);

/* 0 to 100, of the largest. */
int percent_of(double part, double whole);

/* How good a letter is: A+ and A, B and C, the others. */
enum tone tone_of_grade(const char *grade);
