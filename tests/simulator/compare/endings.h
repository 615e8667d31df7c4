/*
 * tests/simulator/compare/endings.h - a second part of a story: a database with old rows, and
 * statements about them.
 */
#pragma once

void endings_run(void);
