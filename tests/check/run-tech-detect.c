/*
 * tests/check/run-tech-detect.c - what tech-detect finds on pages: for each line of standard input,
 * the path of an HTML file, it prints the technologies with evidence as a JSON list; for the check
 * tech-detect. The argument is the folder of signatures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/file.h"
#include "svc/data.h"
#include "tech-detect/detect.h"
#include "text/json.h"
#include "tools.h"

enum { LINE_BYTES = 4096, PAGE_BYTES = 2 << 20 };

static void examine(const struct signatures *signatures, const struct public_suffixes *suffixes,
                    const char *path)
{
    scoped(buf_free) struct buf page = BUF(PAGE_BYTES);
    scoped(target_free) struct target target = { 0 };
    scoped(detected_free) struct detected findings = { 0 };
    scoped(json_free) cJSON *list = json_array();
    scoped(buf_free) struct buf out = BUF(1 << 20);
    struct err err = { 0 };
    if (!file_read(path, &page, &err) ||
        !target_parse_url(TEXT("https://site.example.com/"), &target, &err)) {
        fprintf(stderr, "%s: %s\n", path, err.message);
        exit(EXIT_FAILURE);
    }
    const struct response response = { .target = &target,
                                       .body = buf_text(&page),
                                       .suffixes = suffixes };
    detect(signatures, &response, &findings);
    for (size_t i = 0; i < findings.count; i++)
        if (!findings.item[i].is_implied)
            json_item_str(list, findings.item[i].technology->name);
    (void)json_print(list, &out);
    puts(buf_str(&out));
}

int main(int argc, char **argv)
{
    char path[LINE_BYTES];
    struct public_suffixes *suffixes = NULL;
    struct data *data = NULL;
    struct err err = { 0 };
    if (argc != 2 || !data_open(&tech_signatures_data, argv[1], &data, &err) ||
        !public_suffixes_load("/usr/share/publicsuffix/public_suffix_list.dat", &suffixes, &err)) {
        fprintf(stderr, "usage: %s FOLDER; %s\n", argv[0], err.message);
        return EXIT_FAILURE;
    }
    struct data_version *version = data_hold(data);
    while (fgets(path, sizeof(path), stdin)) {
        path[strcspn(path, "\n")] = '\0';
        examine(data_content(version), suffixes, path);
    }
    data_drop(&version);
    public_suffixes_free(&suffixes);
    data_close(&data);
    return EXIT_SUCCESS;
}
