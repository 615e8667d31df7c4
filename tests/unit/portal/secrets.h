/* tests/unit/portal/secrets.h - portal secrets from lines of a file, for tests. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "portal/base/secret.h"
#include "rows.h"

#define OLD "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
#define NEW "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeffe0e1e2e3e4e5e6e7e8e9eaebecedeeef\n"

static inline struct secrets *secrets_of(const char *lines)
{
    char path[] = "/tmp/secrets-XXXXXX";
    struct conf *conf = NULL;
    struct secrets *secrets = NULL;
    struct err err = { 0 };
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, lines, strlen(lines)) == (ssize_t)strlen(lines));
    close(fd);
    setenv("TOLLGATE_PORTAL_SECRET_FILE", path, 1);
    if (!conf_load(NULL, &conf, &err) || !secrets_load(conf, &secrets, &err))
        fail_msg("%s", err.message);
    unlink(path);
    conf_free(&conf);
    return secrets;
}
