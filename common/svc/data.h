/*
 * common/svc/data.h - what a tool knows and reads from files beside its contract: a price table, a
 * list of signatures.
 *
 * A tool names its kind of data in the group's table of tools, and finds what was loaded in
 * job->data:
 *
 *     static const struct data_kind numbers = { "numbers", load_number, free_number };
 *
 * The skeleton loads it at start, where a bad file is bad configuration, and again at SIGHUP, where
 * a bad file is logged and the old content stays. Tools that name the same kind share one content.
 * Content never changes once it is loaded, so any number of threads may read it; a job keeps what
 * was current when it began, whatever is loaded meanwhile.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/scoped.h"
#include "text/conf.h"

struct metrics;

struct data_kind {
    const char *name; /* for logs */

    /* Make fresh content of the files in folder, where the group's contracts are. Errors:
     * ERR_INVALID_VALUE with the file and what is wrong, for the operator. */
    bool (*load)(const char *folder, void **content, struct err *err);

    /* Release it: a function for scoped(), to be given the address of a pointer. */
    void (*free)(void *address_of_pointer);

    /* In place of load(), for content that the configuration names; conf is the daemon's. */
    bool (*load_configured)(const struct conf *conf, const char *folder, void **content,
                            struct err *err);

    /* Register what is counted of fresh content, before anybody reads it; NULL: nothing. */
    void (*count)(void *content, struct metrics *metrics);

    /* What does the operator still have to do, although this content is good? A sentence without
     * quotes, backslashes or control characters, as long-lived as the content, for the log and
     * /readyz; NULL, of the function too: nothing. */
    const char *(*lacks)(const void *content);
};

/* ---- for the skeleton and for unit tests ---- */

struct data;         /* one kind and its current content; used by all threads */
struct data_version; /* one content, kept as long as somebody holds it */

/* Load for the first time. Errors: those of the kind's load(). */
bool data_open(const struct data_kind *kind, const char *folder, struct data **data,
               struct err *err) must_check;

/* The same with the configuration, which must outlive data, for either sort of kind. */
bool data_open_configured(const struct data_kind *kind, const struct conf *conf, const char *folder,
                          struct data **data, struct err *err) must_check;

/* From now on count by these metrics, which must outlive data; what is loaded, too. */
void data_count(struct data *data, struct metrics *metrics);

/* Load again; what is held stays as it is. Errors: those of load(), then nothing has changed. */
bool data_reload(struct data *data, struct err *err) must_check;

/* Release it; nobody may be in data_hold(), but what is held stays until it is dropped. */
void data_close(struct data **data);

const struct data_kind *data_kind(const struct data *data);

/* Hold the current content until data_drop(), which may outlive data. NULL holds nothing. */
struct data_version *data_hold(struct data *data);
void data_drop(struct data_version **version);

/* The content held; NULL when nothing is. */
const void *data_content(const struct data_version *version);
