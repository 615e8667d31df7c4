/*
 * tests/simulator/main.c - runs schedules:
 *
 *     simulator [--from SEED] [--seeds COUNT] [--jobs PROCESSES] [--mutant NAME]
 *         many, until one fails; 0 processes: one a processor
 *     simulator --seed SEED [--mutant NAME]
 *         one, with its trace
 *     simulator --compare CONNECTION ...
 *         each statement also in a real PostgreSQL (compare.py makes it); one schedule of
 *         GATEWAYS_RATE is of gateways, the others are of random batches
 *
 * A child process runs some hundreds of seeds and ends: killed gateways leave memory behind.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin/metrics.h"
#include "base/num.h"
#include "base/table.h"
#include "compare/batches.h"
#include "compare/postgres.h"
#include "world.h"

enum {
    SEEDS_OF_CHILD = 250,
    GATEWAYS_RATE = 10,
    FRESH_BYTES = 1 << 20, /* the ledger's tables: zeroed by the kernel, as far as they are used */
};

struct arguments {
    uint64_t from, count, seed;
    uint64_t jobs;       /* processes */
    const char *compare; /* NULL: no PostgreSQL */
    bool is_one;
};

static const char *const mutant_names[] = {
#define MUTANT(name, text) #name,
#include "model/mutants.def"
};

static int usage(void)
{
    fputs("usage: simulator [--from SEED] [--seeds COUNT] [--jobs PROCESSES] [--seed SEED] "
          "[--mutant NAME] [--compare CONNECTION]\n",
          stderr);
    for (size_t i = 0; i < countof(mutant_names); i++)
        fprintf(stderr, "  mutant %s\n", mutant_names[i]);
    return 2;
}

static bool choose_mutant(const char *name)
{
    for (size_t i = 0; i < countof(mutant_names); i++) {
        if (strcmp(mutant_names[i], name) == 0) {
            mutant_choose((enum mutant)(i + 1));
            return true;
        }
    }
    return false;
}

static bool read_arguments(int count, char **words, struct arguments *arguments)
{
    for (int i = 1; i + 1 < count; i += 2) {
        const char *value = words[i + 1];
        uint64_t number = strtoull(value, NULL, 10);
        if (strcmp(words[i], "--from") == 0) {
            arguments->from = number;
        } else if (strcmp(words[i], "--seeds") == 0) {
            arguments->count = number;
        } else if (strcmp(words[i], "--jobs") == 0) {
            arguments->jobs = number > 0 ? number : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
        } else if (strcmp(words[i], "--seed") == 0) {
            arguments->seed = number;
            arguments->is_one = true;
        } else if (strcmp(words[i], "--compare") == 0) {
            arguments->compare = value;
        } else if (strcmp(words[i], "--mutant") != 0 || !choose_mutant(value)) {
            return false;
        }
    }
    return count % 2 == 1;
}

static bool run_seed(uint64_t seed)
{
    if (postgres_is_on() && seed % GATEWAYS_RATE != 0)
        return batches_run(seed);
    return world_run(seed);
}

/* Runs in a child. */
static int run_seeds(uint64_t from, uint64_t count)
{
    for (uint64_t seed = from; seed < from + count; seed++) {
        /* if it crashes, the last line names it */
        if (run_seed(seed))
            continue;
        printf("seed %llu: %s\n", (unsigned long long)seed, world.violation);
        return 1;
    }
    return 0;
}

static int run_child(uint64_t from, uint64_t count)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int failed = run_seeds(from, count);
        fflush(stdout);
        _exit(failed);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* A child crashed: find its seed. */
static void find_crash(uint64_t from, uint64_t count)
{
    for (uint64_t seed = from; seed < from + count; seed++) {
        if (run_child(seed, 1) == 0)
            continue;
        printf("seed %llu crashes\n", (unsigned long long)seed);
        fflush(stdout); /* run_all() ends this process without that */
        return;
    }
}

/* Seeds of one process; `step` processes share them. */
static int run_share(const struct arguments *arguments, uint64_t first, uint64_t step)
{
    for (uint64_t done = first * SEEDS_OF_CHILD; done < arguments->count;
         done += step * SEEDS_OF_CHILD) {
        uint64_t left = arguments->count - done;
        uint64_t count = MIN(left, (uint64_t)SEEDS_OF_CHILD);
        int failed = run_child(arguments->from + done, count);
        if (failed == 2)
            find_crash(arguments->from + done, count);
        if (failed)
            return 1;
    }
    return 0;
}

static int run_all(const struct arguments *arguments)
{
    bool failed = false;
    int status;
    for (uint64_t i = 0; i < arguments->jobs; i++)
        if (fork() == 0)
            _exit(run_share(arguments, i, arguments->jobs));
    while (wait(&status) > 0)
        failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    if (failed)
        printf("replay it: tests/simulator/%s --seed SEED\n",
               postgres_is_on() ? "compare.py" : "simulator");
    else
        printf("%llu schedules, no violation\n", (unsigned long long)arguments->count);
    return failed;
}

int main(int count, char **words)
{
    struct arguments arguments = { .from = 1, .count = 1000, .jobs = 1 };
    if (!read_arguments(count, words, &arguments))
        return usage();
    mallopt(M_MMAP_THRESHOLD, FRESH_BYTES);
    world.metrics = metrics_new("simulator", "test");
    world_run(0); /* the first schedule of a process registers metrics, which takes other locks */
    postgres_begin(arguments.compare);
    if (!arguments.is_one)
        return run_all(&arguments);
    trace_open(true);
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool ok = run_seed(arguments.seed);
    printf("seed %llu: %s\n", (unsigned long long)arguments.seed,
           ok ? "no violation" : world.violation);
    return ok ? 0 : 1;
}
