/* tests/unit/text/conf.c - configuration: the source of a value, and rejected values. */
#include "text/conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

static const char file_path[] = "tollgate-test.yaml";

static void write_file(const char *path, const void *content, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Load a file of this content (NULL: none) with one variable NAME=value (NULL: none). */
static bool load(const char *content, const char *variable, struct conf **conf, struct err *err)
{
    if (content)
        write_file(file_path, content, strlen(content));
    size_t size = variable ? strcspn(variable, "=") : 0;
    scoped(mem_free) char *name = mem_dup(variable, size);
    if (variable)
        setenv(name, variable + size + 1, 1);
    bool ok = conf_load(content ? file_path : NULL, conf, err);
    if (variable)
        unsetenv(name);
    unlink(file_path);
    return ok;
}

/* ---- values ---- */

static const struct source {
    const char *name;
    const char *file;
    const char *variable;
    const char *listen;    /* bus.listen, STR */
    int threads;           /* gateway.threads, INT */
    const char *gateways;  /* bus.gateways, LIST, joined by | */
    const char *contracts; /* a key without a section */
} sources[] = {
    { "defaults", NULL, NULL, "tcp://127.0.0.1:5570", 1024, "127.0.0.1:5570|",
      DATA_DIR "/contracts" },
    { "empty file", "", NULL, "tcp://127.0.0.1:5570", 1024, "127.0.0.1:5570|",
      DATA_DIR "/contracts" },
    { "empty section", "bus:\n", NULL, "tcp://127.0.0.1:5570", 1024, "127.0.0.1:5570|",
      DATA_DIR "/contracts" },
    { "file",
      "contracts_dir: /c\ngateway: {threads: 8}\nbus: {listen: 'tcp://*:1', gateways: [a, b]}",
      NULL, "tcp://*:1", 8, "a|b|", "/c" },
    { "list as text in the file", "bus: {gateways: 'a, b ,c'}", NULL, "tcp://127.0.0.1:5570", 1024,
      "a|b|c|", DATA_DIR "/contracts" },
    { "empty list in the file", "bus: {gateways: []}", NULL, "tcp://127.0.0.1:5570", 1024, "",
      DATA_DIR "/contracts" },
    { "text from the environment", "bus: {listen: x}", "TOLLGATE_BUS_LISTEN=y=z", "y=z", 1024,
      "127.0.0.1:5570|", DATA_DIR "/contracts" },
    { "number from the environment", "gateway: {threads: 8}", "TOLLGATE_GATEWAY_THREADS=16",
      "tcp://127.0.0.1:5570", 16, "127.0.0.1:5570|", DATA_DIR "/contracts" },
    { "list from the environment", "bus: {gateways: [x]}", "TOLLGATE_BUS_GATEWAYS=a:1, b:2",
      "tcp://127.0.0.1:5570", 1024, "a:1|b:2|", DATA_DIR "/contracts" },
    { "empty list from the environment", NULL, "TOLLGATE_BUS_GATEWAYS=", "tcp://127.0.0.1:5570",
      1024, "", DATA_DIR "/contracts" },
    { "key without a section from the environment", NULL, "TOLLGATE_CONTRACTS_DIR=/e",
      "tcp://127.0.0.1:5570", 1024, "127.0.0.1:5570|", "/e" },
    { "the file's own variable", NULL, "TOLLGATE_CONFIG=/x", "tcp://127.0.0.1:5570", 1024,
      "127.0.0.1:5570|", DATA_DIR "/contracts" },
    { "somebody else's variable", NULL, "TOLLGATEX=1", "tcp://127.0.0.1:5570", 1024,
      "127.0.0.1:5570|", DATA_DIR "/contracts" },
};

static void check_source(void **state)
{
    const struct source *row = *state;
    scoped(conf_free) struct conf *conf = NULL;
    scoped(buf_free) struct buf gateways = BUF(100);
    struct err err = { 0 };

    bool ok = load(row->file, row->variable, &conf, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    assert_string_equal(conf_str(conf, "bus.listen"), row->listen);
    assert_int_equal(conf_int(conf, "gateway.threads"), row->threads);
    assert_string_equal(conf_str(conf, "contracts_dir"), row->contracts);
    for (size_t i = 0; conf_item(conf, "bus.gateways", i); i++)
        buf_format(&gateways, "%s|", conf_item(conf, "bus.gateways", i));
    assert_string_equal(buf_str(&gateways), row->gateways);
}

/* ---- rejections ---- */

#define FILE_ "tollgate-test.yaml: "
#define TEXT_ " must be a text"
#define INT_  " must be a whole number, 0 or more"
#define LIST_ " must be a list of texts without commas in them"

static const struct refused {
    const char *name;
    const char *file;
    const char *variable;
    const char *message;
} refused[] = {
    { "not YAML", "a: [", NULL, FILE_ "line 2, column 1: not YAML" },
    { "no mapping", "[a]", NULL, FILE_ "must be a mapping of settings" },
    { "unknown section", "buss: {listen: x}", NULL, FILE_ "buss is not a known setting" },
    { "unknown key", "bus: {listne: x}", NULL, FILE_ "bus.listne is not a known setting" },
    { "unknown key that begins a known one", "bus: {list: x}", NULL,
      FILE_ "bus.list is not a known setting" },
    { "section within a key", "bus: {listen: {x: 1}}", NULL, FILE_ "bus.listen" TEXT_ },
    { "dotted key", "bus.listen: x", NULL, FILE_ "bus.listen is not a known setting" },
    { "section that is a text", "bus: x", NULL, FILE_ "bus must be a mapping of settings" },
    { "number for a text", "bus: {listen: 5}", NULL, FILE_ "bus.listen" TEXT_ },
    { "nothing for a text", "bus: {listen: }", NULL, FILE_ "bus.listen" TEXT_ },
    { "NUL in a text", "bus: {listen: \"a\\0\"}", NULL, FILE_ "bus.listen" TEXT_ },
    { "text for a number", "gateway: {threads: x}", NULL, FILE_ "gateway.threads" INT_ },
    { "quoted number", "gateway: {threads: '8'}", NULL, FILE_ "gateway.threads" INT_ },
    { "fraction", "gateway: {threads: 1.5}", NULL, FILE_ "gateway.threads" INT_ },
    { "below zero", "gateway: {threads: -1}", NULL, FILE_ "gateway.threads" INT_ },
    { "numbers in a list", "bus: {gateways: [1]}", NULL, FILE_ "bus.gateways" LIST_ },
    { "comma in an item", "bus: {gateways: ['a,b']}", NULL, FILE_ "bus.gateways" LIST_ },
    { "empty item", "bus: {gateways: [a, '']}", NULL, FILE_ "bus.gateways" LIST_ },
    { "unknown variable", NULL, "TOLLGATE_BUS_LISTNE=x",
      "TOLLGATE_BUS_LISTNE in the environment is not a known setting" },
    { "variable of a section", NULL, "TOLLGATE_BUS=x",
      "TOLLGATE_BUS in the environment is not a known setting" },
    { "variable in lower case", NULL, "TOLLGATE_bus_listen=x",
      "TOLLGATE_bus_listen in the environment is not a known setting" },
    { "variable that is not a number", NULL, "TOLLGATE_GATEWAY_THREADS=8x",
      "TOLLGATE_GATEWAY_THREADS" INT_ },
    { "empty number", NULL, "TOLLGATE_GATEWAY_THREADS=", "TOLLGATE_GATEWAY_THREADS" INT_ },
    { "comma at the end of a variable", NULL, "TOLLGATE_BUS_GATEWAYS=a,",
      "TOLLGATE_BUS_GATEWAYS" LIST_ },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    scoped(conf_free) struct conf *conf = NULL;
    struct err err = { 0 };

    assert_false(load(row->file, row->variable, &conf, &err));
    assert_null(conf);
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_string_equal(err.message, row->message);
}

static void networks(void **state)
{
    (void)state;
    scoped(conf_free) struct conf *conf = NULL;
    scoped(cidrs_free) struct cidrs list = { 0 };
    struct err err = { 0 };
    assert_true(
        load("gateway: {trusted_proxies: [10.0.0.0/8, '::1', 10.0.0.1/8]}", NULL, &conf, &err));
    assert_false(conf_networks(conf, "gateway.trusted_proxies", &list, &err));
    assert_string_equal(err.message, "gateway.trusted_proxies: item 3 is not a network");
    assert_int_equal(list.count, 2);
    assert_true(conf_networks(conf, "admin.clients", &list, &err));
    assert_int_equal(list.count, 3);
}

static void missing_file(void **state)
{
    (void)state;
    struct conf *conf = NULL;
    struct err err = { 0 };
    assert_false(conf_load("no/such.yaml", &conf, &err));
    assert_string_equal(err.message, "no/such.yaml: cannot be opened: No such file or directory");
}

/* ---- secrets ---- */

#define SECRET_ "db.password_file: secret-test: "

static const struct secret {
    const char *name;
    struct text content; /* NULL: there is no file */
    const char *secret;  /* NULL: rejected */
    const char *message;
} secrets[] = {
    { "bare", TEXT("pass word"), "pass word", "" },
    { "blanks at the end go", TEXT(" pass\t\r\n\n "), " pass", "" },
    { "empty", TEXT(""), NULL, SECRET_ "is empty" },
    { "blanks alone", TEXT("\n \n"), NULL, SECRET_ "is empty" },
    { "NUL", TEXT("a\0b"), NULL, SECRET_ "contains a NUL byte" },
    { "no file", { NULL, 0 }, NULL, SECRET_ "cannot be opened: No such file or directory" },
};

static void check_secret(void **state)
{
    const struct secret *row = *state;
    scoped(conf_free) struct conf *conf = NULL;
    scoped(mem_free) char *secret = NULL;
    struct err err = { 0 };

    if (row->content.bytes)
        write_file("secret-test", row->content.bytes, row->content.size);
    assert_true(load(NULL, "TOLLGATE_DB_PASSWORD_FILE=secret-test", &conf, &err));
    assert_int_equal(conf_secret(conf, "db.password_file", &secret, &err), row->secret != NULL);
    unlink("secret-test");
    assert_string_equal(err.message, row->message);
    if (row->secret)
        assert_string_equal(secret, row->secret);
}

static void secret_that_is_not_set(void **state)
{
    (void)state;
    scoped(conf_free) struct conf *conf = NULL;
    char *secret = NULL;
    struct err err = { 0 };
    assert_true(load(NULL, NULL, &conf, &err));
    assert_false(conf_secret(conf, "db.password_file", &secret, &err));
    assert_string_equal(err.message, "db.password_file is not set");
}

static void secret_that_is_too_large(void **state)
{
    (void)state;
    scoped(conf_free) struct conf *conf = NULL;
    scoped(mem_free) char *secret = NULL;
    char content[4097];
    struct err err = { 0 };
    memset(content, 'x', sizeof(content));
    assert_true(load(NULL, "TOLLGATE_DB_PASSWORD_FILE=secret-test", &conf, &err));

    write_file("secret-test", content, 4096);
    assert_true(conf_secret(conf, "db.password_file", &secret, &err));
    write_file("secret-test", content, 4097);
    assert_false(conf_secret(conf, "db.password_file", &secret, &err));
    unlink("secret-test");
    assert_string_equal(err.message, SECRET_ "is larger than 4096 bytes");
}

/* ---- the table itself ---- */

/* The sample loads, so every default has its type and the keys of every section are together. */
static void description_loads(void **state)
{
    (void)state;
    scoped(buf_free) struct buf sample = BUF(1 << 20);
    scoped(conf_free) struct conf *conf = NULL;
    struct err err = { 0 };

    assert_true(conf_describe(&sample));
    bool ok = load(buf_str(&sample), NULL, &conf, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    assert_string_equal(conf_item(conf, "gateway.trusted_proxies", 1), "::1/128");
    assert_non_null(strstr(buf_str(&sample), "\nsvc:\n  # daemon: jobs at the same time; 0: "));
    assert_non_null(strstr(buf_str(&sample),
                           "\n  # daemon: admin port\n  admin: \"127.0.0.1:0\"\n  # daemon: after "
                           "SIGTERM, time for running jobs to finish; 0: the longest time budget "
                           "of its tools, and 2 s\n  drain_ms: 0\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks),
        cmocka_unit_test(missing_file),
        cmocka_unit_test(secret_that_is_not_set),
        cmocka_unit_test(secret_that_is_too_large),
        cmocka_unit_test(description_loads),
    };
    return RUN_ROWS(sources, check_source) + RUN_ROWS(refused, check_refused) +
           RUN_ROWS(secrets, check_secret) + cmocka_run_group_tests(tests, NULL, NULL);
}
