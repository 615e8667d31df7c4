/* tests/simulator/compare/first.h - a random database, near its limits of time and money. */
#pragma once

#include "../model/model.h"

/* Fill a model. now_ms: the time at which its statements begin. */
void first_make(struct model *model, int64_t now_ms);

/* Book credits of a kind, at a time. */
void first_book(struct model *model, struct m_account *account, int64_t kind, int64_t amount,
                int64_t at_ms);

struct uuid first_uuid(void);
int64_t first_pick(const int64_t *values, size_t count);

#define PICK(...)                                \
    first_pick((const int64_t[]){ __VA_ARGS__ }, \
               sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))
