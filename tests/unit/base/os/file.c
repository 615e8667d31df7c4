/* tests/unit/base/os/file.c - whole files, and rejected ones. */
#include "base/os/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

static const char path[] = "file-test";

static const struct row {
    const char *name;
    int size; /* of the file; -1: there is none */
    size_t max_bytes;
    const char *message; /* "": it is read */
} rows[] = {
    { "empty", 0, 10, "" },
    { "as large as allowed", 10, 10, "" },
    { "several pieces", 10000, 20000, "" },
    { "too large", 11, 10, "file-test: is larger than 10 bytes" },
    { "no file", -1, 10, "file-test: cannot be opened: No such file or directory" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf content = BUF(row->max_bytes);
    struct err err = { 0 };

    FILE *file = row->size < 0 ? NULL : fopen(path, "w");
    for (int i = 0; file && i < row->size; i++)
        fputc(i % 251, file);
    if (file)
        fclose(file);
    bool ok = file_read(path, &content, &err);
    unlink(path);

    assert_string_equal(err.message, row->message);
    assert_int_equal(ok, *row->message == '\0');
    if (!ok)
        return;
    assert_int_equal(content.size, row->size);
    for (int i = 0; i < row->size; i++)
        assert_int_equal((unsigned char)content.bytes[i], i % 251);
}

static void folder(void **state)
{
    (void)state;
    scoped(buf_free) struct buf content = BUF(10);
    struct err err = { 0 };
    assert_false(file_read("/", &content, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_string_equal(err.message, "/: cannot be read: Is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(folder) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
