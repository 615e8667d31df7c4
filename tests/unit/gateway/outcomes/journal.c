/* tests/unit/gateway/outcomes/journal.c - lines outlive the process that wrote them, and only then
 * another process takes them over. A journal that is not closed plays a process that runs; its
 * descriptors are closed to play its death. */
#include "gateway/outcomes/journal.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "rows.h"

static char folder[] = "/tmp/tollgate-journal-XXXXXX";

static struct journal *open_one(void)
{
    struct err err = { 0 };
    struct journal *journal = NULL;
    assert_true(journal_open(folder, &journal, &err));
    return journal;
}

static int count_files(void)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    int count = 0;
    while ((entry = readdir(open)))
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

/* What is found first, or NULL. It stays, unless it is removed. */
static char *find(struct journal *journal, bool removes)
{
    struct buf found = BUF(1000);
    if (!journal_find(journal, &found)) {
        buf_free(&found);
        return NULL;
    }
    if (removes)
        journal_remove(journal);
    journal_release(journal);
    return buf_take(&found);
}

static void lines_of_a_running_process_are_its_own(void **state)
{
    (void)state;
    struct journal *one = open_one();
    struct journal *two = open_one();
    assert_true(journal_add(one, text_of("a\nb\n")));
    assert_null(find(two, true));
    assert_null(find(one, true));
    journal_clear(one);
    journal_close(&one);
    journal_close(&two);
    assert_int_equal(count_files(), 0);
}

static void lines_of_a_dead_process_are_found_once(void **state)
{
    (void)state;
    struct journal *one = open_one();
    struct journal *two = open_one();
    assert_true(journal_add(one, text_of("a\n")));
    assert_true(journal_add(one, text_of("b\n")));
    journal_close(&one);
    for (int i = 0; i < 2; i++) { /* the first time it is released without being removed */
        scoped(mem_free) char *lines = find(two, i == 1);
        assert_string_equal(lines, "a\nb\n");
    }
    assert_null(find(two, true));
    journal_close(&two);
    assert_int_equal(count_files(), 0);
}

static void cleared_lines_are_gone(void **state)
{
    (void)state;
    struct journal *one = open_one();
    struct journal *two = open_one();
    assert_true(journal_add(one, text_of("a\n")));
    journal_clear(one);
    assert_true(journal_add(one, text_of("b\n")));
    journal_close(&one);
    scoped(mem_free) char *lines = find(two, true);
    assert_string_equal(lines, "b\n");
    journal_close(&two);
}

static atomic_bool is_over;

static void *take_files(void *journal)
{
    while (!is_over) {
        scoped(mem_free) char *lines = find(journal, true);
    }
    return NULL;
}

/* Another process that starts may find a new file before it is locked. */
static void a_new_file_that_is_taken_is_replaced(void **state)
{
    (void)state;
    struct journal *other = open_one();
    pthread_t thread;
    pthread_create(&thread, NULL, take_files, other);
    for (int i = 0; i < 2000; i++) {
        struct journal *one = open_one();
        journal_close(&one);
    }
    is_over = true;
    pthread_join(thread, NULL);
    journal_close(&other);
    assert_int_equal(count_files(), 0);
}

static void a_bad_folder_is_an_error(void **state)
{
    (void)state;
    struct err err = { 0 };
    struct journal *journal = NULL;
    assert_false(journal_open("/nowhere", &journal, &err));
    assert_null(journal);
    assert_string_equal(err.message,
                        "/nowhere: no file can be made in this folder: No such file or directory");
}

int main(void)
{
    assert_non_null(mkdtemp(folder));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_running_process_are_its_own),
        cmocka_unit_test(lines_of_a_dead_process_are_found_once),
        cmocka_unit_test(cleared_lines_are_gone),
        cmocka_unit_test(a_new_file_that_is_taken_is_replaced),
        cmocka_unit_test(a_bad_folder_is_an_error),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
