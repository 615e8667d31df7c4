/* tests/fuzz/replay.c - run a fuzz target over every file of a folder, as a normal test. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "target.h"

enum { INPUT_MAX_BYTES = 1 << 20 };

static bool replay(const char *folder, const char *name)
{
    scoped(mem_free) char *path = str_format("%s/%s", folder, name);
    scoped(buf_free) struct buf input = BUF(INPUT_MAX_BYTES);
    struct err err = { 0 };
    if (!file_read(path, &input, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    printf("%s\n", name);
    fflush(stdout); /* so that the last name is that of the input that crashed */
    /* a copy of its exact size, so that a sanitizer sees a byte read past its end */
    scoped(mem_free) uint8_t *exact = mem_resize(NULL, input.size);
    for (size_t i = 0; i < input.size; i++)
        exact[i] = (uint8_t)input.bytes[i];
    LLVMFuzzerTestOneInput(exact, input.size);
    return true;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return EXIT_FAILURE;
    }
    int count = 0;
    bool ok = true;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        ok &= replay(argv[1], entry->d_name);
        count++;
    }
    closedir(folder);
    return ok && count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
