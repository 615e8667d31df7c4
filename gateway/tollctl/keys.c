/* gateway/tollctl/keys.c - creates a CURVE key pair for the bus, in two files. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "bus/sock.h"
#include "gateway/tollctl/tollctl.h"

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return fsync(fd) == 0;
}

/* Create the file, which must not exist, and write the key and a newline. */
static bool write_key(const char *path, mode_t mode, const char *key, struct err *err)
{
    char line[KEY_TEXT_BYTES + 1];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return err_set(err, ERR_INVALID_VALUE, "%s cannot be created: %m; no key was changed",
                       path);
    snprintf(line, sizeof(line), "%s\n", key);
    bool is_written = write_all(fd, line, KEY_TEXT_BYTES);
    explicit_bzero(line, sizeof(line));
    if (close(fd) == 0 && is_written)
        return true;
    err_set(err, ERR_INVALID_VALUE, "%s cannot be written: %m", path);
    unlink(path);
    return false;
}

static bool keys_create(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *path = args_text(&ctl->args, "PATH");
    scoped(mem_free) char *secret_path = str_format("%s.secret", path);
    scoped(mem_free) char *public_path = str_format("%s.public", path);
    char secret_key[KEY_TEXT_BYTES];
    char public_key[KEY_TEXT_BYTES];

    key_pair(public_key, secret_key);
    bool is_written = write_key(secret_path, 0600, secret_key, err);
    explicit_bzero(secret_key, sizeof(secret_key));
    if (!is_written)
        return false;
    if (!write_key(public_path, 0644, public_key, err)) {
        unlink(secret_path);
        return false;
    }
    json_str(answer, "secret", secret_path);
    json_str(answer, "public", public_path);
    return true;
}

/* clang-format off */
const struct command keys_commands[] = {
    { "keys create", "Create a CURVE key pair: PATH.secret and PATH.public.", keys_create, true, {
        { "PATH", "the files' path without extension; neither file may exist", .type = ARG_PATH } } },
    { 0 },
};
/* clang-format on */
