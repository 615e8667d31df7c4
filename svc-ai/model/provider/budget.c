/* svc-ai/model/provider/budget.c - what a provider has cost on the current UTC day. */
#include "model/provider/budget.h"

#include <pthread.h>

#include "admin/metrics.h"
#include "base/mem.h"

enum { DAY_MS = 86400 * 1000 };

struct budget {
    pthread_mutex_t mutex; /* guards the rest */
    unsigned holders;
    int64_t day; /* since 1970 */
    int64_t spent_micros;
    bool is_told;        /* that the limit was reached on this day */
    struct gauge *spent; /* NULL: not counted */
    struct gauge *ends;
};

struct budget *budget_new(void)
{
    struct budget *budget = mem_new(sizeof(*budget));
    pthread_mutex_init(&budget->mutex, NULL);
    budget->holders = 1;
    return budget;
}

struct budget *budget_hold(struct budget *budget)
{
    pthread_mutex_lock(&budget->mutex);
    budget->holders++;
    pthread_mutex_unlock(&budget->mutex);
    return budget;
}

void budget_drop(struct budget **address)
{
    struct budget *budget = *address;
    if (!budget)
        return;
    *address = NULL;
    pthread_mutex_lock(&budget->mutex);
    bool is_last = --budget->holders == 0;
    pthread_mutex_unlock(&budget->mutex);
    if (!is_last)
        return;
    pthread_mutex_destroy(&budget->mutex);
    mem_free(&budget);
}

void budget_count(struct budget *budget, const char *provider, const char *currency,
                  int64_t limit_micros, struct metrics *metrics)
{
    struct labels labels = { "provider", provider, "currency", currency };
    pthread_mutex_lock(&budget->mutex);
    gauge_set(metrics_gauge(metrics, "tollgate_model_budget_micros",
                            "Daily budget of a model provider, in millionths of the currency",
                            labels),
              limit_micros);
    budget->spent = metrics_gauge(metrics, "tollgate_model_budget_spent_micros",
                                  "Part of the daily budget that is spent", labels);
    budget->ends = metrics_gauge(metrics, "tollgate_model_budget_end_timestamp_seconds",
                                 "End of the day of the budget, in Unix time; 0: none yet", labels);
    pthread_mutex_unlock(&budget->mutex);
}

/* The caller holds the mutex. A clock that goes back does not begin a day again. */
static void begin_day(struct budget *budget, int64_t now_ms)
{
    int64_t day = now_ms / DAY_MS;
    if (day <= budget->day)
        return;
    budget->day = day;
    budget->spent_micros = 0;
    budget->is_told = false;
}

/* The caller holds the mutex. */
static void show_day(const struct budget *budget)
{
    if (!budget->spent)
        return;
    gauge_set(budget->spent, budget->spent_micros);
    gauge_set(budget->ends, (budget->day + 1) * (DAY_MS / 1000));
}

void budget_add(struct budget *budget, int64_t micros, int64_t now_ms)
{
    pthread_mutex_lock(&budget->mutex);
    begin_day(budget, now_ms);
    budget->spent_micros += micros;
    show_day(budget);
    pthread_mutex_unlock(&budget->mutex);
}

bool budget_is_spent(struct budget *budget, int64_t limit_micros, int64_t now_ms, bool *is_first)
{
    pthread_mutex_lock(&budget->mutex);
    begin_day(budget, now_ms);
    bool is_spent = budget->spent_micros >= limit_micros;
    *is_first = is_spent && !budget->is_told;
    budget->is_told |= is_spent;
    show_day(budget);
    pthread_mutex_unlock(&budget->mutex);
    return is_spent;
}
