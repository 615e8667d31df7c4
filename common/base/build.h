/*
 * common/base/build.h - which build of the product a program is.
 *
 * The version's number is TOLLGATE_VERSION, from meson.build. What is here changes with each
 * commit, so it is a separate library: only programs that name the build are linked again.
 */
#pragma once

#include <stdbool.h>

/* The commit, 12 digits of its hash, and its date: "a1c509a2f0b3 2026-11-28". Where the sources
 * were not in git: the option `build` of Meson, which is "unknown" by default. */
extern const char build_name[];

/* If the command line is `--version`, print program, version and build in one line, and return
 * true. */
bool build_print_version(int argc, char **argv, const char *program);
