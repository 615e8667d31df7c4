/*
 * common/svc/data.c - contents that are replaced while jobs read them. A reference count instead of
 * a read lock: a job may run for half a minute, and the thread that reloads also answers the
 * gateways' heartbeats.
 */
#include "svc/data.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"

struct data_version {
    const struct data_kind *kind;
    void *content;
    atomic_size_t holders; /* the data, if this is its current version, and each reader */
};

struct data {
    const struct data_kind *kind;
    const struct conf *conf;
    struct metrics *metrics; /* NULL: nothing is counted */
    char *folder;
    pthread_mutex_t mutex; /* guards current: it must not be dropped between lookup and hold */
    struct data_version *current;
};

static bool load_content(const struct data_kind *kind, const struct conf *conf, const char *folder,
                         struct data_version **version, struct err *err)
{
    void *content = NULL;
    if (kind->load_configured ? !kind->load_configured(conf, folder, &content, err)
                              : !kind->load(folder, &content, err))
        return false;
    *version = mem_new(sizeof(**version));
    **version = (struct data_version){ .kind = kind, .content = content, .holders = 1 };
    return true;
}

bool data_open(const struct data_kind *kind, const char *folder, struct data **data,
               struct err *err)
{
    return data_open_configured(kind, NULL, folder, data, err);
}

bool data_open_configured(const struct data_kind *kind, const struct conf *conf, const char *folder,
                          struct data **data, struct err *err)
{
    struct data_version *first;
    if (!load_content(kind, conf, folder, &first, err))
        return false;
    *data = mem_new(sizeof(**data));
    **data =
        (struct data){ .kind = kind, .conf = conf, .folder = str_dup(folder), .current = first };
    pthread_mutex_init(&(*data)->mutex, NULL);
    return true;
}

static void count_content(const struct data *data, const struct data_version *version)
{
    if (data->metrics && data->kind->count)
        data->kind->count(version->content, data->metrics);
}

void data_count(struct data *data, struct metrics *metrics)
{
    data->metrics = metrics;
    count_content(data, data->current);
}

bool data_reload(struct data *data, struct err *err)
{
    struct data_version *next;
    if (!load_content(data->kind, data->conf, data->folder, &next, err))
        return false;
    if (data->kind->inherit)
        data->kind->inherit(next->content, data->current->content);
    count_content(data, next);
    pthread_mutex_lock(&data->mutex);
    struct data_version *old = data->current;
    data->current = next;
    pthread_mutex_unlock(&data->mutex);
    data_drop(&old);
    return true;
}

void data_close(struct data **address)
{
    struct data *data = *address;
    if (!data)
        return;
    data_drop(&data->current);
    pthread_mutex_destroy(&data->mutex);
    mem_free(&data->folder);
    mem_free(address);
}

const struct data_kind *data_kind(const struct data *data)
{
    return data->kind;
}

struct data_version *data_hold(struct data *data)
{
    if (!data)
        return NULL;
    pthread_mutex_lock(&data->mutex);
    struct data_version *version = data->current;
    atomic_fetch_add(&version->holders, 1);
    pthread_mutex_unlock(&data->mutex);
    return version;
}

void data_drop(struct data_version **address)
{
    struct data_version *version = take(*address);
    if (!version || atomic_fetch_sub(&version->holders, 1) > 1)
        return;
    version->kind->free(&version->content);
    mem_free(&version);
}

const void *data_content(const struct data_version *version)
{
    return version ? version->content : NULL;
}
