/*
 * tests/check/openapi/run-openapi-diff.c - compares documents as openapi-validate does: for each
 * line of standard input, two paths with a tab between them, it prints a line of JSON with the
 * changes, the witnesses and the CPU time in milliseconds; for the check openapi-diff.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/file.h"
#include "openapi-validate/diff/diff.h"
#include "openapi-validate/tests/reading.h"
#include "openapi-validate/witness/witness.h"
#include "text/json.h"

enum { LINE_BYTES = 8192, TODAY = 20600 /* a day of 2026 */ };

static bool read_document(struct reading *reading, const char *path)
{
    scoped(buf_free) struct buf text = BUF(DOCUMENT_BYTES_MAX);
    struct err err = { 0 };
    *reading = (struct reading){ .findings = findings_new() };
    if (!file_read(path, &text, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.message);
        exit(EXIT_FAILURE);
    }
    findings_free(&reading->findings);
    return reading_of(reading, buf_text(&text)) && check_references(&reading->check);
}

static void compare(const char *old_path, const char *new_path)
{
    scoped(reading_free) struct reading old;
    scoped(reading_free) struct reading new;
    scoped(diff_free) struct diff diff = { .today = TODAY };
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf text = BUF(64 << 20);
    bool ok = read_document(&old, old_path);
    ok &= read_document(&new, new_path);
    diff.old.check = &old.check;
    diff.new.check = &new.check;
    if (ok) {
        int64_t start_us = check_cpu_us();
        diff_run(&diff);
        int64_t compared_us = check_cpu_us();
        witness_find(&diff);
        diff_write(&diff, result);
        json_num(result, "diff_ms", (double)(compared_us - start_us) / 1000);
        json_num(result, "witness_ms", (double)(check_cpu_us() - compared_us) / 1000);
    }
    (void)json_print(result, &text);
    puts(buf_str(&text));
}

int main(void)
{
    char line[LINE_BYTES];
    while (fgets(line, sizeof(line), stdin)) {
        char *tab = strchr(line, '\t');
        line[strcspn(line, "\n")] = '\0';
        if (!tab)
            return EXIT_FAILURE;
        *tab = '\0';
        compare(line, tab + 1);
    }
    return EXIT_SUCCESS;
}
