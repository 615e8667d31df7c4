/* svc-ai/schema/path.h - the path of the schema that is being read, for errors. */
#pragma once

#include "base/buf.h"

/* Append a member to the path. Returns the size to restore afterwards. */
static inline size_t path_push(struct buf *path, const char *name)
{
    size_t size = path->size;
    buf_format(path, size > 0 ? ".%s" : "%s", name);
    return size;
}

static inline void path_pop(struct buf *path, size_t size)
{
    path->size = size;
    path->full = false;
    if (path->bytes)
        path->bytes[size] = '\0';
}
