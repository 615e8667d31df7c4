/* gateway/tollctl/evidence/root-io.c - see root-io.h. */
#include "gateway/tollctl/evidence/root-io.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"

enum {
    WAIT_MS = 60000, /* for other runs */
    RETRY_MS = 50,
};

/* ---- opening ---- */

static bool lock_file(int fd, const char *path, int operation, struct err *err)
{
    int64_t deadline_ms = clock_ms() + WAIT_MS;
    while (flock(fd, operation | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return err_set(err, ERR_INVALID_VALUE, "%s: cannot be locked: %m", path);
        if (clock_ms() > deadline_ms)
            return err_set(err, ERR_INVALID_VALUE,
                           "%s: another `tollctl ledger root` has had it for %d s; try again when "
                           "that is done",
                           path, WAIT_MS / 1000);
        poll(NULL, 0, RETRY_MS);
    }
    return true;
}

/* Is it still the file of this name? An operator may have moved it away while we waited. */
static bool has_name(int fd, const char *path)
{
    struct stat ours, named;
    return fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

/* *fd is -1 if the file does not exist and may not be created. */
static bool open_fd(const char *path, bool may_create, int *fd, struct err *err)
{
    struct stat status;
    *fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | (may_create ? O_CREAT : 0), 0640);
    if (*fd < 0 && errno == ENOENT && !may_create)
        return true;
    if (*fd < 0)
        return err_set(err, ERR_INVALID_VALUE, "%s: cannot be opened: %m", path);
    if (fstat(*fd, &status) == 0 && S_ISREG(status.st_mode))
        return lock_file(*fd, path, LOCK_EX, err);
    return err_set(err, ERR_INVALID_VALUE, "%s: is not a file", path);
}

bool root_io_open(const char *path, bool may_create, FILE **stream, struct err *err)
{
    int fd;
    bool ok = open_fd(path, may_create, &fd, err);
    while (ok && fd >= 0 && !has_name(fd, path)) {
        close(fd);
        ok = open_fd(path, may_create, &fd, err);
    }
    if (!ok && fd >= 0)
        close(fd);
    if (!ok || fd < 0)
        return ok;
    *stream = fdopen(fd, "a+");
    if (*stream)
        return true;
    close(fd);
    return err_set(err, ERR_INVALID_VALUE, "%s: cannot be opened: %m", path);
}

bool root_io_open_input(const char *path, FILE **stream, int64_t *size, struct err *err)
{
    struct stat status;
    *stream = fopen(path, "re");
    if (!*stream)
        return err_set(err, ERR_INVALID_VALUE, "%s: cannot be opened: %m", path);
    int fd = fileno(*stream);
    bool ok = fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
                  ? lock_file(fd, path, LOCK_SH, err)
                  : err_set(err, ERR_INVALID_VALUE, "%s: is not a file", path);
    if (!ok || fstat(fd, &status) != 0 || flock(fd, LOCK_UN) != 0) {
        root_io_close(stream);
        return !ok ? false : err_set(err, ERR_INVALID_VALUE, "%s: cannot be read: %m", path);
    }
    *size = status.st_size;
    return true;
}

void root_io_close(FILE **stream)
{
    if (*stream)
        fclose(*stream);
    *stream = NULL;
}

/* ---- writing ---- */

bool root_io_cut(FILE *stream, const char *path, int64_t size, struct err *err)
{
    return ftruncate(fileno(stream), size) == 0 ||
           err_set(err, ERR_INVALID_VALUE,
                   "%s: its last block is not complete and cannot be cut off: %m", path);
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return fsync(fd) == 0;
}

/* A new file's name is on the disk only when its folder is. */
static bool sync_folder(const char *path)
{
    scoped(mem_free) char *copy = str_dup(path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

bool root_io_append(FILE *stream, const char *path, int64_t size, const struct buf *block,
                    struct err *err)
{
    int fd = fileno(stream);
    if (write_all(fd, buf_str(block), block->size) && (size > 0 || sync_folder(path)))
        return true;
    int why = errno;
    bool is_cut = ftruncate(fd, size) == 0;
    errno = why;
    return is_cut ? err_set(err, ERR_INVALID_VALUE,
                            "%s: cannot be written: %m; nothing was changed", path)
                  : err_set(err, ERR_INVALID_VALUE,
                            "%s: cannot be written: %m; if its last block is not complete, the "
                            "next run cuts it off",
                            path);
}
