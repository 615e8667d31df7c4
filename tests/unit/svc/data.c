/* tests/unit/svc/data.c - contents are replaced while they are read. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"
#include "svc/data.h"

/* The files of the test: contents are numbered as they are loaded, and counted as they go. */
static struct {
    bool is_broken;
    int loaded;
    atomic_int freed;
    char folder[32];
} disk;

static bool load_number(const char *folder, void **content, struct err *err)
{
    int *number;
    snprintf(disk.folder, sizeof(disk.folder), "%s", folder);
    if (disk.is_broken)
        return err_set(err, ERR_INVALID_VALUE, "broken");
    *content = number = mem_new(sizeof(*number));
    *number = ++disk.loaded;
    return true;
}

static void free_number(void *address)
{
    int **number = address;
    **number = -1;
    disk.freed++;
    mem_free(number);
}

static const struct data_kind numbers = { "numbers", load_number, free_number };

/* A kind whose content adds what was there before. */
static void add_number(void *content, const void *before)
{
    *(int *)content += 10 * *(const int *)before;
}

static const struct data_kind sums = {
    .name = "sums", .load = load_number, .free = free_number, .inherit = add_number
};

static struct data *open_numbers(void)
{
    struct data *data = NULL;
    struct err err = { 0 };
    memset(&disk, 0, sizeof(disk));
    assert_true(data_open(&numbers, "svc-test", &data, &err));
    assert_ptr_equal(data_kind(data), &numbers);
    return data;
}

static int number_of(const struct data_version *version)
{
    return *(const int *)data_content(version);
}

static void what_outlives_a_reload_is_inherited(void **state)
{
    scoped(data_close) struct data *data = NULL;
    struct err err = { 0 };
    (void)state;
    memset(&disk, 0, sizeof(disk));
    assert_true(data_open(&sums, "svc-test", &data, &err));
    assert_true(data_reload(data, &err));
    scoped(data_drop) struct data_version *version = data_hold(data);
    assert_int_equal(*(const int *)data_content(version), 12);
}

static void is_loaded_from_its_folder(void **state)
{
    (void)state;
    scoped(data_close) struct data *data = open_numbers();
    scoped(data_drop) struct data_version *version = data_hold(data);
    assert_string_equal(disk.folder, "svc-test");
    assert_int_equal(number_of(version), 1);
    *disk.folder = '\0';
    assert_true(data_reload(data, NULL));
    assert_string_equal(disk.folder, "svc-test");
}

static bool load_configured(const struct conf *conf, const char *folder, void **content,
                            struct err *err)
{
    return strcmp(conf_str(conf, "log.level"), "info") == 0 && load_number(folder, content, err);
}

static void is_loaded_by_the_configuration(void **state)
{
    static const struct data_kind configured = { .name = "configured",
                                                 .free = free_number,
                                                 .load_configured = load_configured };
    scoped(conf_free) struct conf *conf = NULL;
    scoped(data_close) struct data *data = NULL;
    (void)state;
    memset(&disk, 0, sizeof(disk));
    assert_true(conf_load(NULL, &conf, NULL));
    assert_true(data_open_configured(&configured, conf, "svc-test", &data, NULL));
    assert_true(data_reload(data, NULL));
    assert_int_equal(disk.loaded, 2);
    assert_string_equal(disk.folder, "svc-test");
}

static void a_broken_file_stops_the_start(void **state)
{
    (void)state;
    struct data *data = NULL;
    struct err err = { 0 };
    disk.is_broken = true;
    assert_false(data_open(&numbers, "svc-test", &data, &err));
    assert_null(data);
    assert_string_equal(err.message, "broken");
    data_close(&data);
}

static void a_broken_file_keeps_the_old(void **state)
{
    (void)state;
    scoped(data_close) struct data *data = open_numbers();
    struct err err = { 0 };
    disk.is_broken = true;
    assert_false(data_reload(data, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    scoped(data_drop) struct data_version *version = data_hold(data);
    assert_int_equal(number_of(version), 1);
    assert_int_equal(disk.freed, 0);
}

static void a_holder_keeps_what_it_holds(void **state)
{
    (void)state;
    struct data *data = open_numbers();
    struct data_version *first = data_hold(data);
    struct data_version *also_first = data_hold(data);
    assert_true(data_reload(data, NULL));
    struct data_version *second = data_hold(data);
    assert_int_equal(number_of(second), 2);

    data_drop(&first);
    assert_null(first);
    assert_int_equal(disk.freed, 0);
    assert_int_equal(number_of(also_first), 1);
    data_drop(&also_first);
    assert_int_equal(disk.freed, 1);

    data_close(&data);
    assert_null(data);
    assert_int_equal(number_of(second), 2);
    data_drop(&second);
    assert_int_equal(disk.freed, 2);
}

static void an_old_content_nobody_holds_goes_at_once(void **state)
{
    (void)state;
    scoped(data_close) struct data *data = open_numbers();
    assert_true(data_reload(data, NULL));
    assert_int_equal(disk.freed, 1);
}

static void nothing_can_be_held(void **state)
{
    (void)state;
    scoped(data_drop) struct data_version *version = data_hold(NULL);
    assert_null(version);
    assert_null(data_content(version));
}

enum { READERS = 4, HOLDS = 2000, RELOADS = 500 };

/* Numbers never go back, and a freed content is never read. */
static void *read_on(void *argument)
{
    int last = 0;
    for (int i = 0; i < HOLDS; i++) {
        scoped(data_drop) struct data_version *version = data_hold(argument);
        int number = number_of(version);
        if (number < last)
            return argument;
        last = number;
    }
    return NULL;
}

static void threads_read_while_it_is_loaded_again(void **state)
{
    (void)state;
    struct data *data = open_numbers();
    pthread_t readers[READERS];
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_on, data), 0);
    for (int i = 0; i < RELOADS; i++)
        assert_true(data_reload(data, NULL));
    for (size_t i = 0; i < READERS; i++) {
        void *failed;
        pthread_join(readers[i], &failed);
        assert_null(failed);
    }
    data_close(&data);
    assert_int_equal(disk.loaded, RELOADS + 1);
    assert_int_equal(disk.freed, RELOADS + 1);
}

static int counted;

static void count_number(void *content, struct metrics *metrics)
{
    assert_ptr_equal(metrics, &counted);
    counted = counted * 10 + *(const int *)content;
}

/* A new content is counted before it is read, and a broken one never. */
static void every_content_is_counted(void **state)
{
    static const struct data_kind kind = { "numbers", load_number, free_number, NULL,
                                           count_number };
    scoped(data_close) struct data *data = NULL;
    (void)state;
    memset(&disk, 0, sizeof(disk));
    assert_true(data_open(&kind, "svc-test", &data, NULL));
    data_count(data, (struct metrics *)&counted);
    assert_true(data_reload(data, NULL));
    disk.is_broken = true;
    assert_false(data_reload(data, NULL));
    assert_int_equal(counted, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_loaded_from_its_folder),
        cmocka_unit_test(what_outlives_a_reload_is_inherited),
        cmocka_unit_test(is_loaded_by_the_configuration),
        cmocka_unit_test(a_broken_file_stops_the_start),
        cmocka_unit_test(a_broken_file_keeps_the_old),
        cmocka_unit_test(a_holder_keeps_what_it_holds),
        cmocka_unit_test(an_old_content_nobody_holds_goes_at_once),
        cmocka_unit_test(nothing_can_be_held),
        cmocka_unit_test(every_content_is_counted),
        cmocka_unit_test(threads_read_while_it_is_loaded_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
