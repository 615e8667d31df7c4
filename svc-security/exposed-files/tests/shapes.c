/* svc-security/exposed-files/tests/shapes.c - shapes of responses for the paths of paths.yaml,
 * written after its patterns: error texts, guides and login parameters, and files that are really
 * there. */
#include "exposed-files/exposures.h"

#include <stdlib.h>
#include <string.h>

#include "rows.h"

#define PATHS SOURCE_ROOT "/svc-security/exposed-files/paths.yaml"

struct shape {
    const char *path;
    struct text body;
    const char *media_type; /* NULL: text/plain */
};

static const struct shape harmless[] = {
    { "/.env", TEXT("error: not found\n") },
    { "/.env", TEXT("status: 404\nmessage: not found\n") },
    { "/.env", TEXT("ERROR: NOT FOUND\n") },
    { "/.env", TEXT("{\"error\":\"not found\",\"code\":404}"), "application/json" },
    { "/.env", TEXT("API_KEY: missing\n") },
    { "/.env", TEXT("API_KEY: required\n") },
    { "/.env", TEXT("ERROR_CODE=404\n") },
    { "/.env", TEXT("STATUS=404\nMESSAGE=NOT_FOUND\n") },
    { "/.env", TEXT("token=expired\n") },
    { "/.env", TEXT("token: expired\n") },
    { "/.env", TEXT("openapi: 3.0.0\ninfo:\n  title: a\n  version: 1\n") },
    { "/.env", TEXT("name: docs\nversion: 1\n") },
    { "/.env",
      TEXT("fl=1f1\nh=a.example\nip=192.0.2.1\nts=1.2\nvisit_scheme=https\nuag=x\ncolo=AMS\n") },
    { "/.env", TEXT("session_id=abc\nrequest_id=def\n") },
    { "/.env", TEXT("callback_url=/login\n") },
    { "/.env", TEXT("csrf_token=abcdef\n") },
    { "/.env", TEXT("redirect_uri=/login&client_id=a\n") },
    { "/.env", TEXT("User-agent: *\nDisallow: /\n") },
    { "/.env", TEXT("Contact: mailto:a@a.example\nExpires: 2027-01-01T00:00:00Z\n") },
    { "/.env", TEXT("X-Request-Id: 12\nX-Error-Code: 7\n") },
    { "/.env", TEXT("Secret: the page you look for\n") },
    { "/.env", TEXT("Password:\n") },
    { "/.env", TEXT("Error=404") },
    { "/.env", TEXT("ERR=404") },
    { "/.env", TEXT("<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>") },
    { "/.env", TEXT("\x8f\x12\xff\x00\x41\x9d\x3c\x77") },
    { "/.env", TEXT("ok") },
    { "/.env", TEXT("OK\n") },
    { "/.env", TEXT("Index of /\n\nfoo.txt\nbar.txt\n") },
    { "/.env", TEXT("HTTP_STATUS=404\n") },
    { "/.env", TEXT("HTTP_STATUS=404\nREQUEST_ID=7f3a\n") },
    { "/.git/HEAD", TEXT("ref: not found\n") },
    { "/.git/HEAD", TEXT("ref: refs/heads/main<html>") },
    { "/.git/HEAD", TEXT("deadbeef\n") },
    { "/.git/config", TEXT("[error]\nmessage = not found\n") },
    { "/.git/config", TEXT("[user]\nid = 1\n") },
    { "/.git/config", TEXT("[http]\nstatus = 404\n") },
    { "/dump.sql", TEXT("Use DROP TABLE IF EXISTS to drop a table.") },
    { "/dump.sql", TEXT("\x1f\x8b\x99\x00rubbish") },
    { "/dump.sql", TEXT("# SQL guide\n\nCREATE TABLE makes a table.\nINSERT INTO adds a row.\n") },
    { "/dump.sql", TEXT("{\"error\":\"no\"}") },
    { "/.git/HEAD", TEXT("0123456789ABCDEF0123456789ABCDEF01234567") },
};

static const struct shape exposed[] = {
    { "/.env", TEXT("app_name=x\napp_debug=true\n") },
    { "/.env", TEXT("db_pass: 'a b'\n") },
    { "/.env", TEXT("DB_PASSWORD: \"a b c\"\n") },
    { "/.env", TEXT("DATABASE_URL: postgres://u:p@h/d\n") },
    { "/.env", TEXT("PORT=3000\n") },
    { "/.env", TEXT("stripe_secret_key: sk_live_x\n") },
    { "/.env", TEXT("mongodb_uri=mongodb://u:p@h/d\n") },
    { "/.env", TEXT("jwtSecret: abc\n") },
    { "/.env", TEXT("DB_HOST : localhost\nDB_PASSWORD : abc\n") },
    { "/.env", TEXT("DB_PASSWORD:abc\nDB_USER:root\n") },
    { "/.env", TEXT("  DB_HOST = 'x'\n\n") },
    { "/.env", TEXT("$env:DB_PASSWORD=\"x\"\n") },
    { "/.env", TEXT("redis_url: redis://h\nport: 1\n") },
    { "/.env", TEXT("REDIS_URL=\"redis://h\" # c\n") },
    { "/.git/HEAD", TEXT("ref: "
                         "refs/heads/feature/"
                         "a-very-long-branch-name-a-very-long-branch-name-a-very-long-branch-name-"
                         "a-very-long-branch-name-x\n") },
    { "/.git/HEAD", TEXT("ref:refs/heads/main") },
    { "/.git/HEAD", TEXT("ref: refs/heads/\xc3\xa9t\xc3\xa9\r\n") },
    { "/.git/config", TEXT("[remote \"origin\"]\n\turl = git@h:a/b.git\n") },
    { "/.git/config", TEXT("; c\n[branch \"main\"]\n\tremote = origin\n") },
    { "/.git/config", TEXT("[alias]\n\tco = checkout\n") },
    { "/.git/config", TEXT("[user]\n\tname = A\n") },
    { "/.git/config", TEXT("[gui]\n\twmstate = normal\n[core]\n\tbare = false\n") },
    { "/.git/config", TEXT("[submodule]\n\tactive = .\n") },
    { "/.git/config", TEXT("[lfs]\n\trepositoryformatversion = 0\n") },
    { "/.git/config", TEXT("[commit]\n\tgpgsign = true\n") },
    { "/dump.sql", TEXT("BEGIN TRANSACTION;\nCREATE TABLE a(b);\n") },
    { "/dump.sql", TEXT("insert into a values(1);") },
    { "/dump.sql", TEXT("SET NAMES utf8mb4;\nSET FOREIGN_KEY_CHECKS = 0;\n") },
    { "/.env", TEXT("db_user: root\ndb_pass: 'a b'\n") },
};

static struct exposures *exposures;

static bool is_exposed(const struct shape *shape)
{
    struct content content = { shape->body, shape->media_type ? shape->media_type : "text/plain" };
    struct finding finding;
    for (size_t i = 0; i < exposures->count; i++)
        if (strcmp(exposures->item[i].path, shape->path) == 0)
            return exposure_fits(&exposures->item[i], &content, &finding);
    fail_msg("%s is not in the file", shape->path);
    return false;
}

static void harmless_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(harmless); i++)
        if (is_exposed(&harmless[i]))
            fail_msg("%s counts as exposed: %s", harmless[i].path, harmless[i].body.bytes);
}

static void exposed_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(exposed); i++)
        if (!is_exposed(&exposed[i]))
            fail_msg("%s is not found: %s", exposed[i].path, exposed[i].body.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmless_shapes),
        cmocka_unit_test(exposed_shapes),
    };
    struct err err = { 0 };
    if (!exposures_load(PATHS, &exposures, &err))
        abort();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    exposures_free(&exposures);
    return failed;
}
