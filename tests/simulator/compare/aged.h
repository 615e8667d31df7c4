/*
 * tests/simulator/compare/aged.h - a database with old rows, at the limits of their retention.
 */
#pragma once

/* Add them to the model of the story, as seen at its time. */
void aged_add(void);
