/* common/admin/metrics.c - registration, updates with C11 atomics, the text format. */
#include "admin/metrics.h"

#include <assert.h>
#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/scoped.h"

/* Upper bounds of the buckets, in microseconds and as text in seconds. */
static const struct bucket {
    int64_t max_us;
    const char *le;
} buckets[] = {
    { 1000, "0.001" },    { 2500, "0.0025" }, { 5000, "0.005" },  { 10000, "0.01" },
    { 25000, "0.025" },   { 50000, "0.05" },  { 100000, "0.1" },  { 250000, "0.25" },
    { 500000, "0.5" },    { 1000000, "1" },   { 2500000, "2.5" }, { 5000000, "5" },
    { 10000000, "10" },   { 30000000, "30" }, { 60000000, "60" }, { 120000000, "120" },
    { 180000000, "180" },
};

struct counter {
    _Atomic uint64_t value;
};

struct gauge {
    _Atomic int64_t value;
};

struct histogram {
    _Atomic uint64_t count[countof(buckets) + 1]; /* the last: above all buckets */
    _Atomic int64_t sum_us;
};

/* One set of label values and its value. */
struct series {
    char *labels; /* {a="b",c="d"} without the braces, escaped; may be empty */
    union {
        struct counter counter;
        struct gauge gauge;
        struct histogram histogram;
        struct {
            gauge_read *read;
            void *arg;
        } asked;
    };
    struct series *next;
};

enum type { COUNTER, COUNTER_OF, GAUGE, GAUGE_OF, HISTOGRAM };

static const char *const type_names[] = {
    [COUNTER] = "counter", [COUNTER_OF] = "counter",  [GAUGE] = "gauge",
    [GAUGE_OF] = "gauge",  [HISTOGRAM] = "histogram",
};

/* All series of one name: the format requires them together. */
struct family {
    enum type type;
    char *name;
    char *help;
    char *label_names[3];
    struct series *first;
    struct series *last;
    struct family *next;
};

struct metrics {
    pthread_mutex_t mutex; /* guards the lists; their items do not move */
    struct family *first;
    struct family *last;
};

/* ---- registration ---- */

static bool is_name(const char *name)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:";
    size_t rest = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:0123456789");
    return *name && strchr(first, *name) && name[rest] == '\0';
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void add_escaped(struct buf *out, const char *text, const char *special)
{
    for (const char *at = text; *at; at++) {
        if (*at == '\n')
            buf_add_str(out, "\\n");
        else if (strchr(special, *at))
            buf_format(out, "\\%c", *at);
        else
            buf_add_byte(out, *at);
    }
}

static void add_label(struct buf *out, const char *name, const char *value)
{
    if (!name)
        return;
    assert(is_name(name) && !strchr(name, ':') && value);
    buf_format(out, "%s%s=\"", out->size ? "," : "", name);
    add_escaped(out, value, "\\\"");
    buf_add_byte(out, '"');
}

static char *labels_text(struct labels labels)
{
    struct buf text = BUF(4096);
    add_label(&text, labels.name1, labels.value1);
    add_label(&text, labels.name2, labels.value2);
    add_label(&text, labels.name3, labels.value3);
    assert(!text.full);
    return buf_take(&text);
}

static struct family *family_of(struct metrics *metrics, enum type type, const char *name,
                                const char *help, struct labels labels)
{
    struct family *family = metrics->first;
    while (family && strcmp(family->name, name) != 0)
        family = family->next;
    if (family) {
        assert(family->type == type && strcmp(family->help, help) == 0);
        assert(same_text(family->label_names[0], labels.name1));
        assert(same_text(family->label_names[1], labels.name2));
        assert(same_text(family->label_names[2], labels.name3));
        return family;
    }
    assert(is_name(name));
    family = mem_new(sizeof(*family));
    family->type = type;
    family->name = str_dup(name);
    family->help = str_dup(help);
    family->label_names[0] = str_dup(labels.name1);
    family->label_names[1] = str_dup(labels.name2);
    family->label_names[2] = str_dup(labels.name3);
    *(metrics->last ? &metrics->last->next : &metrics->first) = family;
    metrics->last = family;
    return family;
}

static struct series *find_series(const struct family *family, const char *labels)
{
    struct series *series = family->first;
    while (series && strcmp(series->labels, labels) != 0)
        series = series->next;
    return series;
}

static struct series *find_or_add(struct metrics *metrics, enum type type, const char *name,
                                  const char *help, struct labels labels)
{
    scoped(mem_free) char *text = labels_text(labels);
    struct family *family = family_of(metrics, type, name, help, labels);
    struct series *series = find_series(family, text);
    if (series) {
        assert(type == COUNTER || type == GAUGE || type == HISTOGRAM);
        return series;
    }
    series = mem_new(sizeof(*series));
    series->labels = take(text);
    *(family->last ? &family->last->next : &family->first) = series;
    family->last = series;
    return series;
}

static struct series *add_series(struct metrics *metrics, enum type type, const char *name,
                                 const char *help, struct labels labels)
{
    pthread_mutex_lock(&metrics->mutex);
    struct series *series = find_or_add(metrics, type, name, help, labels);
    pthread_mutex_unlock(&metrics->mutex);
    return series;
}

struct counter *metrics_counter(struct metrics *metrics, const char *name, const char *help,
                                struct labels labels)
{
    return &add_series(metrics, COUNTER, name, help, labels)->counter;
}

struct gauge *metrics_gauge(struct metrics *metrics, const char *name, const char *help,
                            struct labels labels)
{
    return &add_series(metrics, GAUGE, name, help, labels)->gauge;
}

static void add_asked(struct metrics *metrics, enum type type, const char *name, const char *help,
                      struct labels labels, gauge_read *read, void *arg)
{
    pthread_mutex_lock(&metrics->mutex);
    struct series *series = find_or_add(metrics, type, name, help, labels);
    series->asked.read = read;
    series->asked.arg = arg;
    pthread_mutex_unlock(&metrics->mutex);
}

void metrics_gauge_of(struct metrics *metrics, const char *name, const char *help,
                      struct labels labels, gauge_read *read, void *arg)
{
    add_asked(metrics, GAUGE_OF, name, help, labels, read, arg);
}

struct histogram *metrics_histogram(struct metrics *metrics, const char *name, const char *help,
                                    struct labels labels)
{
    return &add_series(metrics, HISTOGRAM, name, help, labels)->histogram;
}

/* ---- updates: independent numbers, so their order does not matter ---- */

void counter_add(struct counter *counter, uint64_t more)
{
    atomic_fetch_add_explicit(&counter->value, more, memory_order_relaxed);
}

void gauge_set(struct gauge *gauge, int64_t value)
{
    atomic_store_explicit(&gauge->value, value, memory_order_relaxed);
}

void gauge_add(struct gauge *gauge, int64_t more)
{
    atomic_fetch_add_explicit(&gauge->value, more, memory_order_relaxed);
}

void histogram_add(struct histogram *histogram, int64_t duration_us)
{
    size_t bucket = 0;
    while (bucket < countof(buckets) && duration_us > buckets[bucket].max_us)
        bucket++;
    atomic_fetch_add_explicit(&histogram->count[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum_us, duration_us, memory_order_relaxed);
}

/* ---- the text format ---- */

/* name_suffix{labels,le="..."} without the value; suffix and le may be empty. */
static void write_name(struct buf *out, const char *name, const char *suffix, const char *labels,
                       const char *le)
{
    buf_format(out, "%s%s", name, suffix);
    if (!*labels && !*le)
        return;
    buf_format(out, "{%s", labels);
    if (*le)
        buf_format(out, "%sle=\"%s\"", *labels ? "," : "", le);
    buf_add_byte(out, '}');
}

static void write_histogram(struct buf *out, const char *name, const struct series *series)
{
    const struct histogram *histogram = &series->histogram;
    uint64_t count = 0; /* counted here, so that +Inf and _count agree during updates */
    for (size_t i = 0; i <= countof(buckets); i++) {
        count += atomic_load_explicit(&histogram->count[i], memory_order_relaxed);
        write_name(out, name, "_bucket", series->labels,
                   i < countof(buckets) ? buckets[i].le : "+Inf");
        buf_format(out, " %" PRIu64 "\n", count);
    }
    int64_t sum_us = atomic_load_explicit(&histogram->sum_us, memory_order_relaxed);
    write_name(out, name, "_sum", series->labels, "");
    buf_format(out, " %" PRId64 ".%06" PRId64 "\n", sum_us / 1000000, sum_us % 1000000);
    write_name(out, name, "_count", series->labels, "");
    buf_format(out, " %" PRIu64 "\n", count);
}

static void write_series(struct buf *out, const struct family *family, const struct series *series)
{
    if (family->type == HISTOGRAM) {
        write_histogram(out, family->name, series);
        return;
    }
    write_name(out, family->name, "", series->labels, "");
    if (family->type == COUNTER)
        buf_format(out, " %" PRIu64 "\n",
                   atomic_load_explicit(&series->counter.value, memory_order_relaxed));
    else if (family->type == GAUGE)
        buf_format(out, " %" PRId64 "\n",
                   atomic_load_explicit(&series->gauge.value, memory_order_relaxed));
    else
        buf_format(out, " %.17g\n", series->asked.read(series->asked.arg));
}

bool metrics_write(struct metrics *metrics, struct buf *out)
{
    pthread_mutex_lock(&metrics->mutex);
    for (const struct family *family = metrics->first; family; family = family->next) {
        buf_format(out, "# HELP %s ", family->name);
        add_escaped(out, family->help, "\\");
        buf_format(out, "\n# TYPE %s %s\n", family->name, type_names[family->type]);
        for (const struct series *series = family->first; series; series = series->next)
            write_series(out, family, series);
    }
    pthread_mutex_unlock(&metrics->mutex);
    return !out->full;
}

/* ---- about the process ---- */

static double resident_bytes(void *arg)
{
    (void)arg;
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re"); /* proc(5): size, then resident, in pages */
    if (!file)
        return 0;
    if (fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double cpu_seconds(void *arg)
{
    (void)arg;
    struct timespec used = { 0 };
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static double open_fds(void *arg)
{
    (void)arg;
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 3; /* ".", ".." and the directory itself */
}

struct metrics *metrics_new(const char *version, const char *build_name)
{
    struct metrics *metrics = mem_new(sizeof(*metrics));
    pthread_mutex_init(&metrics->mutex, NULL);
    struct gauge *build =
        metrics_gauge(metrics, "tollgate_build_info", "Version and build that run.",
                      (struct labels){ "version", version, "build", build_name });
    gauge_set(build, 1);
    add_asked(metrics, GAUGE_OF, "process_resident_memory_bytes", "Resident memory.", NO_LABELS,
              resident_bytes, NULL);
    add_asked(metrics, COUNTER_OF, "process_cpu_seconds_total", "CPU time used.", NO_LABELS,
              cpu_seconds, NULL);
    add_asked(metrics, GAUGE_OF, "process_open_fds", "Open file descriptors.", NO_LABELS, open_fds,
              NULL);
    struct gauge *start =
        metrics_gauge(metrics, "process_start_time_seconds", "Start, in Unix time.", NO_LABELS);
    gauge_set(start, clock_wall_ms() / 1000);
    return metrics;
}

void metrics_free(struct metrics **address_of_metrics)
{
    struct metrics *metrics = *address_of_metrics;
    if (!metrics)
        return;
    for (struct family *family = metrics->first, *next; family; family = next) {
        next = family->next;
        for (struct series *series = family->first, *after; series; series = after) {
            after = series->next;
            mem_free(&series->labels);
            mem_free(&series);
        }
        mem_free(&family->name);
        mem_free(&family->help);
        mem_free(&family->label_names[0]);
        mem_free(&family->label_names[1]);
        mem_free(&family->label_names[2]);
        mem_free(&family);
    }
    pthread_mutex_destroy(&metrics->mutex);
    mem_free(address_of_metrics);
}
