/*
 * svc-utils/qr-generate/tests/readers.c - for readers.py: reads one request body per line from
 * standard input. For line N, it writes the raw image to FOLDER/N and one line of JSON to standard
 * output.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "tools.h"

static const char *header(const struct answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->header[i].name, name) == 0)
            return answer->header[i].value;
    return "";
}

static bool write_image(const char *folder, int number, const struct buf *image)
{
    scoped(mem_free) char *path = str_format("%s/%d", folder, number);
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool ok = fwrite(image->bytes, 1, image->size, file) == image->size;
    return fclose(file) == 0 && ok;
}

static bool answer_line(const char *body, const char *folder, int number)
{
    scoped(answer_free) struct answer answer = { 0 };
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };

    if (!run_tool(qr_generate, "qr-generate", body, result, &answer, &err)) {
        printf("{\"code\":\"%s\"}\n", err_code(err.kind));
        return true;
    }
    printf("{\"version\":%s,\"level\":\"%s\"}\n", header(&answer, "X-QR-Version"),
           header(&answer, "X-QR-Error-Correction"));
    return write_image(folder, number, &answer.body);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    bool ok = argc == 2;

    for (int number = 0; ok && getline(&line, &room, stdin) > 0; number++)
        ok = answer_line(line, argv[1], number);
    free(line);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
