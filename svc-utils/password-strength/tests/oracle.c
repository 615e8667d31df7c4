/*
 * svc-utils/password-strength/tests/oracle.c - for oracle.py: reads one request body per line from
 * standard input, writes the result's guesses, one line each, to standard output.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "tool.h"
#include "tools.h"

static bool print_guesses(const struct contract *contract, const char *line)
{
    scoped(json_free) cJSON *args = NULL;
    scoped(json_free) cJSON *result = json_object();
    struct errs errs = { 0 };
    struct err err = { 0 };

    if (!contract_check(contract, text_of(line), &args, NULL, &errs))
        return false;
    struct job job = { .contract = contract, .args = args, .now_ms = clock_wall_ms() };
    if (!password_strength(&job, result, &err))
        return false;
    printf("%.17g\n", json_get(result, "guesses")->valuedouble);
    return true;
}

int main(void)
{
    scoped(contract_free) struct contract *contract = contract_of("password-strength");
    char *line = NULL;
    size_t room = 0;
    bool ok = true;

    while (ok && getline(&line, &room, stdin) > 0)
        ok = print_guesses(contract, line);
    free(line);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
