/* svc-email/email-spam-check/tests/scores.c - print path and score of each named message on one
 * line, and its rules with their points. */
#include <stdio.h>

#include "base/os/file.h"
#include "email-spam-check/check.h"
#include "rows.h"
#include "text/json.h"

enum { MESSAGE_MAX_BYTES = 1 << 20 };

static void print_score(const struct spam_knowledge *knowledge, const char *path)
{
    const struct text nothing = { "", 0 };
    scoped(buf_free) struct buf message = BUF(MESSAGE_MAX_BYTES);
    scoped(json_free) cJSON *result = json_object();
    struct spam_check *check = mem_new(sizeof(*check));
    const cJSON *finding;

    assert_true(file_read(path, &message, NULL));
    struct spam_input input = {
        nothing, buf_text(&message), nothing, nothing, nothing, false, INPUT_RAW,
    };
    spam_check_read(&input, knowledge, check);
    spam_check_report(check, result);
    printf("%s %d", path, json_get(result, "spam_score")->valueint);
    cJSON_ArrayForEach(finding, json_get(result, "findings"))
        printf(" %s=%d", json_text_of(json_get(finding, "rule")).bytes,
               json_get(finding, "points")->valueint);
    printf("\n");
    spam_check_free(check);
    mem_free(&check);
}

int main(int argc, char **argv)
{
    struct spam_knowledge *knowledge;
    if (!spam_knowledge_load(SOURCE_ROOT "/svc-email", "", &knowledge, NULL))
        return 1;
    for (int i = 1; i < argc; i++)
        print_score(knowledge, argv[i]);
    spam_knowledge_free(&knowledge);
    return 0;
}
