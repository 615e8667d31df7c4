/*
 * svc-ai/model/provider/budget.h - what a provider has cost on the current UTC day, in this
 * process.
 *
 * It outlives a reload of the providers' file: the old and the new provider of one name hold the
 * same budget. A restart begins at 0. All threads share it. Times are by clock_wall_ms().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct budget;
struct metrics;

struct budget *budget_new(void);
struct budget *budget_hold(struct budget *budget);
void budget_drop(struct budget **budget);

/* Register its metrics. Call it before use. */
void budget_count(struct budget *budget, const char *provider, const char *currency,
                  int64_t limit_micros, struct metrics *metrics);

void budget_add(struct budget *budget, int64_t micros, int64_t now_ms);

/* Whether the day's cost has reached the limit. *is_first: since the last time that it was asked on
 * another day, for the log. */
bool budget_is_spent(struct budget *budget, int64_t limit_micros, int64_t now_ms, bool *is_first);
