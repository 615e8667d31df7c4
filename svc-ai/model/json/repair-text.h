/*
 * svc-ai/model/json/repair-text.h - repair the string, word or number at the current offset.
 */
#pragma once

#include "model/json/repairer.h"

/* From its opening quote; also strings joined with +. */
void repair_string(struct repairer *repairer, enum repair_place place);

/* A value without quotes: a word of JSON, a number, or a text. */
void repair_words(struct repairer *repairer, enum repair_place place);

/* A name without quotes. */
void repair_bare_name(struct repairer *repairer);
