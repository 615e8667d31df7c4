/* common/base/os/file.c - reads whole files, up to a limit. */
#include "base/os/file.h"

#include <fcntl.h>
#include <unistd.h>

static void close_fd(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

bool file_read(const char *path, struct buf *out, struct err *err)
{
    scoped(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, ERR_INVALID_VALUE, "%s: cannot be opened: %m", path);
    char chunk[4096];
    ssize_t size;
    while (!out->full && (size = read(fd, chunk, sizeof(chunk))) != 0) {
        if (size < 0)
            return err_set(err, ERR_INVALID_VALUE, "%s: cannot be read: %m", path);
        buf_add(out, chunk, (size_t)size);
    }
    if (out->full)
        return err_set(err, ERR_INVALID_VALUE, "%s: is larger than %zu bytes", path,
                       out->max_bytes);
    return true;
}
