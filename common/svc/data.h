/*
 * common/svc/data.h - what a tool reads from files in addition to its contract: a price table, a
 * list of signatures.
 *
 * A tool names its kind of data in the group's table of tools, and finds the loaded content in
 * job->data:
 *
 *     static const struct data_kind numbers = { "numbers", load_number, free_number };
 *
 * - The worker loads it at start, where an invalid file is a configuration error.
 * - It loads it again at SIGHUP, where an invalid file is logged and the old content stays.
 * - Tools that name the same kind share one content.
 * - Loaded content never changes, so any number of threads may read it. A job keeps the content
 *   that was current when it started.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/scoped.h"
#include "text/conf.h"

struct metrics;

struct data_kind {
    const char *name; /* for logs */

    /*
     * Load the files in folder, which has the group's contracts. Errors: ERR_INVALID_VALUE with the
     * file and the problem, for the operator.
     */
    bool (*load)(const char *folder, void **content, struct err *err);

    /* Release it, for scoped(): receives the address of a pointer. */
    void (*free)(void *address_of_pointer);

    /* Instead of load(), for content named in the configuration; conf is the worker's. */
    bool (*load_configured)(const struct conf *conf, const char *folder, void **content,
                            struct err *err);

    /* Register the metrics of new content, before any thread reads it; NULL: none. */
    void (*count)(void *content, struct metrics *metrics);

    /*
     * What must the operator still do, although this content is valid? Returns a sentence without
     * quotes, backslashes or control characters, for the log and /readyz, that lives as long as the
     * content; NULL (also as the function): nothing.
     */
    const char *(*lacks)(const void *content);

    /* Take over what outlives a reload from the content before, before any thread reads the new
     * one; NULL: nothing. */
    void (*inherit)(void *content, const void *before);
};

/* ---- for the worker and for unit tests ---- */

struct data;         /* one kind and its current content; used by all threads */
struct data_version; /* one content, kept until the last holder drops it */

/* Load for the first time. Errors: as the kind's load(). */
bool data_open(const struct data_kind *kind, const char *folder, struct data **data,
               struct err *err) must_check;

/* As data_open(), for both kinds; the configuration must outlive data. */
bool data_open_configured(const struct data_kind *kind, const struct conf *conf, const char *folder,
                          struct data **data, struct err *err) must_check;

/* Register the metrics of the current and all later content; metrics must outlive data. */
void data_count(struct data *data, struct metrics *metrics);

/* Load again; held content stays unchanged. Errors: as load(); then nothing has changed. */
bool data_reload(struct data *data, struct err *err) must_check;

/* Release it. No thread may be in data_hold(), but held content stays until it is dropped. */
void data_close(struct data **data);

const struct data_kind *data_kind(const struct data *data);

/* Hold the current content until data_drop(), which may come after data_close(). NULL holds
 * nothing. */
struct data_version *data_hold(struct data *data);
void data_drop(struct data_version **version);

/* The held content; NULL: not loaded. */
const void *data_content(const struct data_version *version);
