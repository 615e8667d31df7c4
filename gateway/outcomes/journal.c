/* gateway/outcomes/journal.c - see journal.h. */
#include "gateway/outcomes/journal.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codec/uuid.h"
#include "base/mem.h"

#define PREFIX "outcomes-"

struct journal {
    char *folder;
    char *path; /* of this process's file */
    int fd;
    char *found_path; /* of another process's file, locked by this one; NULL: none */
    int found_fd;
};

/* How often another process may take a new file for that of a dead process. */
enum { TAKEN_MAX = 100 };

static bool make_file(struct journal *journal)
{
    char name[UUID_TEXT_BYTES];
    struct uuid id = uuid_new();
    uuid_format(name, &id);
    journal->path = str_format("%s/" PREFIX "%s", journal->folder, name);
    journal->fd =
        open(journal->path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    return journal->fd >= 0;
}

static bool is_removed(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) != 0 || facts.st_nlink == 0;
}

/* False: between the creation of the file and this lock, another process took it. */
static bool lock_file(const struct journal *journal)
{
    return flock(journal->fd, LOCK_EX | LOCK_NB) == 0 && !is_removed(journal->fd);
}

static void drop_file(struct journal *journal)
{
    close(journal->fd);
    journal->fd = -1;
    mem_free(&journal->path);
}

bool journal_open(const char *folder, struct journal **journal, struct err *err)
{
    struct journal *made = mem_new(sizeof(*made));
    made->folder = str_dup(folder);
    made->fd = -1;
    made->found_fd = -1;
    for (int taken = 0; taken < TAKEN_MAX && make_file(made); taken++) {
        if (lock_file(made)) {
            *journal = made;
            return true;
        }
        drop_file(made);
    }
    err_set(err, ERR_INVALID_VALUE, "%s: no file can be made in this folder: %m", folder);
    journal_close(&made);
    return false;
}

/* If it fails, lines stay that are written to the database again, which changes nothing there, or a
 * part of a line, which nobody can read. */
static void truncate_file(struct journal *journal, off_t bytes)
{
    int result = ftruncate(journal->fd, bytes);
    (void)result;
}

bool journal_add(struct journal *journal, struct text lines)
{
    off_t before = lseek(journal->fd, 0, SEEK_END);
    ssize_t written = write(journal->fd, lines.bytes, lines.size);
    if (written == (ssize_t)lines.size)
        return true;
    if (written > 0)
        truncate_file(journal, before); /* no part of a line */
    return false;
}

/* ---- files of ended processes ---- */

static bool lock_found(struct journal *journal, const char *name)
{
    journal->found_path = str_format("%s/%s", journal->folder, name);
    journal->found_fd = open(journal->found_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (journal->found_fd >= 0 && flock(journal->found_fd, LOCK_EX | LOCK_NB) == 0 &&
        !is_removed(journal->found_fd))
        return true;
    journal_release(journal);
    return false;
}

static bool lock_any(struct journal *journal)
{
    DIR *folder = opendir(journal->folder);
    const struct dirent *entry;
    bool found = false;
    while (folder && !found && (entry = readdir(folder)))
        found = strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 &&
                strcmp(entry->d_name, strrchr(journal->path, '/') + 1) != 0 &&
                lock_found(journal, entry->d_name);
    if (folder)
        closedir(folder);
    return found;
}

bool journal_find(struct journal *journal, struct buf *out)
{
    char chunk[4096];
    ssize_t size;
    if (!lock_any(journal))
        return false;
    while (!out->full && (size = read(journal->found_fd, chunk, sizeof(chunk))) > 0)
        buf_add(out, chunk, (size_t)size);
    return true;
}

void journal_remove(struct journal *journal)
{
    unlink(journal->found_path);
}

void journal_release(struct journal *journal)
{
    if (journal->found_fd >= 0)
        close(journal->found_fd);
    journal->found_fd = -1;
    mem_free(&journal->found_path);
}

/* ---- end ---- */

void journal_clear(struct journal *journal)
{
    truncate_file(journal, 0);
}

void journal_close(struct journal **address)
{
    struct journal *journal = *address;
    if (!journal)
        return;
    if (journal->fd >= 0) {
        if (lseek(journal->fd, 0, SEEK_END) == 0)
            unlink(journal->path);
        close(journal->fd);
    }
    journal_release(journal);
    mem_free(&journal->path);
    mem_free(&journal->folder);
    mem_free(address);
}
