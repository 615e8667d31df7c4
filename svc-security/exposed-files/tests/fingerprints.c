/* svc-security/exposed-files/tests/fingerprints.c - what the fingerprints in paths.yaml match, and
 * what they do not. */
#include "exposed-files/exposures.h"

#include <string.h>

#include "rows.h"

#define PATHS SOURCE_ROOT "/svc-security/exposed-files/paths.yaml"
#define HEX40 "0123456789abcdef0123456789abcdef01234567"

enum { NO = SEVERITIES, CRITICAL = SEVERITY_CRITICAL, HIGH = SEVERITY_HIGH };
enum { MEDIUM = SEVERITY_MEDIUM, LOW = SEVERITY_LOW };

static const struct row {
    const char *name;
    const char *path;
    struct text body;
    int want; /* a severity, or NO */
    const char *media_type;
    bool is_cut;
    struct text packed;
} rows[] = {
    /* .env */
    { "names and values", "/.env", TEXT("APP_KEY=base64:abc\nDB_HOST=\n"), CRITICAL },
    { "comments and blank lines", "/.env", TEXT("# mine\n\n  \nAPP_ENV=live\r\n"), CRITICAL },
    { "export", "/.env", TEXT("export AWS_SECRET=abc\n"), CRITICAL },
    { "with a mark", "/.env",
      TEXT("\xef\xbb\xbf"
           "APP_ENV=live\n"),
      CRITICAL },
    { "a key over several lines", "/.env",
      TEXT("A_KEY=\"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx\n-----END RSA PRIVATE "
           "KEY-----\"\n"),
      CRITICAL },
    { "bytes that are not text", "/.env", TEXT("APP_NAME=\xff\xfe\n"), CRITICAL },
    { "only empty values", "/.env", TEXT("APP_KEY=\nDB_HOST=\n"), NO },
    { "lower case only", "/.env", TEXT("a=b\n"), NO },
    { "two capitals only", "/.env", TEXT("AB=c\n"), NO },
    { "one line of prose", "/.env", TEXT("APP_KEY=abc\nNot found\n"), NO },
    { "prose after the twentieth line", "/.env",
      TEXT("A_1=1\nA_2=1\nA_3=1\nA_4=1\nA_5=1\nA_6=1\nA_7=1\nA_8=1\nA_9=1\nA_10=1\n"
           "B_1=1\nB_2=1\nB_3=1\nB_4=1\nB_5=1\nB_6=1\nB_7=1\nB_8=1\nB_9=1\nB_10=1\nfree text\n"),
      CRITICAL },
    { "a page with such a line", "/.env", TEXT("<!DOCTYPE html>\nAPP_KEY=abc\n"), NO },
    { "a page by its type", "/.env", TEXT("APP_KEY=abc\nB=<html>\n"), NO, "text/html" },
    { "text by a wrong type", "/.env", TEXT("APP_KEY=abc\n"), CRITICAL, "text/html" },
    { "nothing", "/.env", TEXT(""), NO },
    { "only comments", "/.env", TEXT("# nothing here\n"), NO },
    { "of production", "/.env.production", TEXT("APP_KEY=abc\n"), CRITICAL },
    { "a copy", "/.env.bak", TEXT("APP_KEY=abc\n"), CRITICAL },
    { "a value over several lines", "/.env",
      TEXT("A_KEY=\"one line\nNot found, as a line of prose\nlast\"\nB=2\n"), CRITICAL },
    { "in single quotes", "/.env", TEXT("A_JSON='{\n  \"a\": 1\n}'\n"), CRITICAL },
    { "in backticks", "/.env", TEXT("export A_TEXT=`a\n b\n`\nC_D=e\n"), CRITICAL },
    { "with an escaped quote", "/.env", TEXT("A_KEY=\"one \\\" line\nand \\\" two\"\n"), CRITICAL },
    { "quotes that close at once", "/.env", TEXT("A_KEY=\"one\"\nNot found\n"), NO },
    { "quotes that never close", "/.env", TEXT("A_KEY=\"one\nNot found\n"), NO },
    { "quotes that close beyond the cut", "/.env", TEXT("A_KEY=\"one\nmore\n"), CRITICAL,
      .is_cut = true },
    { "a quote within a value", "/.env", TEXT("A_KEY=it's\nNot found\n"), NO },
    { "small letters: a password", "/.env", TEXT("db_host=localhost\ndb_password=x\n"), CRITICAL },
    { "small letters: one secret", "/.env", TEXT("api_key=abc\n"), CRITICAL },
    { "small letters with dots", "/.env",
      TEXT("spring.datasource.url=jdbc:x\nspring.datasource.username=sa\n"), CRITICAL },
    { "camel case", "/.env", TEXT("dbPassword=abc\n"), CRITICAL },
    { "small letters: settings alone", "/.env", TEXT("log_level=info\n\n# more\nhttp_port=80\n"),
      CRITICAL },
    { "mixed cases", "/.env", TEXT("App_Secret = abc\n"), CRITICAL },
    { "colons", "/.env", TEXT("DB_HOST: localhost\nDB_PASSWORD: abc\n"), CRITICAL },
    { "one colon", "/.env", TEXT("SECRET_KEY: 'abc'\n"), CRITICAL },
    { "colons in small letters", "/.env", TEXT("db_password: abc\n"), CRITICAL },
    { "colons with comments", "/.env", TEXT("# mine\nAPP_ENV: live # now\n"), CRITICAL },
    { "quoted names", "/.env", TEXT("\"DB_PASS\": \"abc\"\n"), CRITICAL },
    { "a start of YAML", "/.env", TEXT("---\nMAIL_PASSWORD: abc\n"), CRITICAL },
    { "a name without value", "/.env", TEXT("DB_HOST=a\nHOME\n"), CRITICAL },
    { "sections and semicolons", "/.env", TEXT("; mine\n[prod]\nDB_HOST=a\n"), CRITICAL },
    { "set", "/.env", TEXT("set DB_HOST=a\015\n"), CRITICAL },
    { "UTF-16", "/.env",
      TEXT("\377\376A\000P\000P\000_\000K\000E\000Y\000=\000a\000b\000c\000\015\000\n\000B\000_"
           "\000C\000=\000\351\000\015\000\n\000"),
      CRITICAL },
    { "UTF-16, big end first", "/.env",
      TEXT("\376\377\000A\000P\000P\000_\000K\000E\000Y\000=\000a\000b\000c\000\n"), CRITICAL },
    { "half a unit of UTF-16", "/.env", TEXT("\377\376A"), NO },
    { "packed", "/.env",
      TEXT("\037\213\010\000\000\000\000\000\002\003s\014\010\210\367v\215\264MLJ\346\002\000\004"
           "\027j\312\014\000\000\000"),
      CRITICAL },
    { "a packed page", "/.env",
      TEXT("\037\213\010\000\000\000\000\000\002\003\263QL\311O.\251,HU\310("
           "\311\315\261\343r\014\010\210\367v\215\264MLJ\346\002\000\036\257\232\016\034\000\000"
           "\000"),
      NO },
    { "small letters without a setting's name", "/.env",
      TEXT("fl=1\nh=example.com\nvisit_scheme=https\ncolo=FRA\n"), NO },
    { "an error with a colon", "/.env", TEXT("ERROR: not found\n"), NO },
    { "an error with a code and an id", "/.env",
      TEXT("CODE: 404\nREQUEST_ID: abc-123\nMESSAGE: Not found\n"), NO },
    { "an error about a token", "/.env", TEXT("API_TOKEN: missing\n"), NO },
    { "an error about a password", "/.env", TEXT("PASSWORD: not set here\n"), NO },
    { "an error in small letters", "/.env", TEXT("error: not found\nstatus: 404\ntoken: 8f3a\n"),
      NO },
    { "headers", "/.env", TEXT("Server: nginx\nX-Request-Id: 1f\n"), NO },
    { "a sentence with a secret's name", "/.env",
      TEXT("The api_key=abc belongs in the dashboard.\n"), NO },
    { "a sentence behind a setting", "/.env",
      TEXT("db_password=x\nsee our documentation for more\n"), NO },
    { "JSON", "/.env", TEXT("{\"db_password\": \"x\"}\n"), NO },
    { "a list of Markdown", "/.env", TEXT("- DB_PASSWORD: x\n"), NO },
    { "one setting in small letters", "/.env", TEXT("log_level=info\n"), NO },
    { "an empty secret", "/.env", TEXT("db_password=\n"), NO },
    /* repositories */
    { "a branch", "/.git/HEAD", TEXT("ref: refs/heads/main\n"), HIGH },
    { "a commit", "/.git/HEAD", TEXT(HEX40 "\n"), HIGH },
    { "a commit by SHA-256", "/.git/HEAD", TEXT(HEX40 "0123456789abcdef01234567"), HIGH },
    { "41 digits", "/.git/HEAD", TEXT(HEX40 "0\n"), NO },
    { "a long branch", "/.git/HEAD", TEXT("ref: refs/heads/" HEX40 HEX40 HEX40 "\n"), HIGH },
    { "a branch with letters of Unicode", "/.git/HEAD", TEXT("ref: refs/heads/gr\303\274n\n"),
      HIGH },
    { "a tab", "/.git/HEAD", TEXT("ref:\trefs/heads/main\n"), HIGH },
    { "a branch with blanks", "/.git/HEAD", TEXT("ref: refs/heads/ is where it points\n"), NO },
    { "a second line", "/.git/HEAD", TEXT("ref: refs/heads/main\nNot found\n"), NO },
    { "a reference further on", "/.git/HEAD", TEXT("no ref: refs/heads/main\n"), NO },
    { "cut", "/.git/HEAD", TEXT("ref: refs/heads/main\n"), NO, .is_cut = true },
    { "a configuration", "/.git/config", TEXT("[core]\n\trepositoryformatversion = 0\n"), HIGH },
    { "a remote", "/.git/config",
      TEXT("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://github.com/a/b\n"), HIGH },
    { "a remote with a password", "/.git/config",
      TEXT("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://me:pw@host/a.git\n"),
      CRITICAL },
    { "a remote with a token alone", "/.git/config",
      TEXT("[core]\n[remote \"origin\"]\n\turl = https://:tok@host/a.git\n"), CRITICAL },
    { "a remote with a user alone", "/.git/config",
      TEXT("[core]\n[remote \"origin\"]\n\turl = ssh://git@host:22/a.git\n"), HIGH },
    { "another configuration", "/.git/config", TEXT("[core]\n\ta = b\n"), NO },
    { "a branch's configuration", "/.git/config", TEXT("[core]\n[branch \"main\"]\n\tremote = o\n"),
      HIGH },
    { "a bare one", "/.git/config", TEXT("[core]\n\tbare = true\n"), HIGH },
    { "a section in prose", "/.git/config", TEXT("the [core] of [remote x]\n"), NO },
    { "only a remote", "/.git/config",
      TEXT("[remote \"origin\"]\n\011url = https://github.com/a/b\n"), HIGH },
    { "only a remote with a password", "/.git/config",
      TEXT("[remote \"origin\"]\n\011url = https://me:pw@host/a.git\n"), CRITICAL },
    { "only a branch", "/.git/config",
      TEXT("# mine\n\n[branch \"main\"]\n\011remote = origin\n\011merge = refs/heads/main\n"),
      HIGH },
    { "only a user", "/.git/config", TEXT("[user]\n\011name = A\n\011email = a@example.com\n"),
      HIGH },
    { "a user's key", "/.git/config", TEXT("[user]\n\011signingkey = AB\n"), HIGH },
    { "only an extension", "/.git/config", TEXT("[extensions]\n\011worktreeConfig = true\n"),
      HIGH },
    { "only a helper", "/.git/config",
      TEXT("; mine\n[credential \"https://a\"]\n\011helper = store\n"), HIGH },
    { "only an include", "/.git/config", TEXT("[include]\n\011path = ../x\n"), HIGH },
    { "a header with a token", "/.git/config",
      TEXT("[http \"https://github.com/\"]\n\011extraheader = AUTHORIZATION: basic x\n"), HIGH },
    { "only a submodule", "/.git/config", TEXT("[submodule \"a\"]\n\011url = ../a\n"), HIGH },
    { "sections in capitals", "/.git/config", TEXT("[CORE]\n\011Bare = False\n"), HIGH },
    { "core in one line", "/.git/config", TEXT("[core] bare = true\n"), HIGH },
    { "core without values", "/.git/config", TEXT("[core]\n\011ignorecase\n"), HIGH },
    { "another program's", "/.git/config",
      TEXT("[server]\n\011port = 80\n[client]\n\011user = a\n"), NO },
    { "a section of a user's list", "/.git/config", TEXT("[user]\n\011id = 4\n"), NO },
    { "text before the section", "/.git/config",
      TEXT("Not found\n[remote \"origin\"]\n\011url = a\n"), NO },
    { "a working copy", "/.svn/wc.db", TEXT("SQLite format 3\0\x10\0"), HIGH },
    { "its name in text", "/.svn/wc.db", TEXT("SQLite format 3\n"), NO },
    { "requirements", "/.hg/requires", TEXT("dotencode\nfncache\nrevlogv1\nstore\n"), HIGH },
    { "one requirement", "/.hg/requires", TEXT("store\n"), NO },
    { "a requirement of newer ones", "/.hg/requires", TEXT("share-safe\n"), HIGH },
    { "and prose", "/.hg/requires", TEXT("store\nrevlogv1\nhello\n"), NO },
    /* credentials */
    { "apr1", "/.htpasswd", TEXT("bob:$apr1$x$y\n"), CRITICAL },
    { "bcrypt", "/.htpasswd", TEXT("bob:$2y$05$abc\nann:$2b$05$abc\n"), CRITICAL },
    { "SHA-1", "/.htpasswd", TEXT("bob:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n"), CRITICAL },
    { "SHA-2", "/.htpasswd", TEXT("bob:$5$a$b\nann:$6$a$b\n"), CRITICAL },
    { "crypt", "/.htpasswd", TEXT("bob:ab.CdEf/GhIjK\n"), CRITICAL },
    { "crypt of 12", "/.htpasswd", TEXT("bob:ab.CdEf/GhIj\n"), NO },
    { "MD5 of crypt", "/.htpasswd", TEXT("bob:$1$abc$def\n"), CRITICAL },
    { "bcrypt of old", "/.htpasswd", TEXT("bob:$2$05$abc\nann:$2x$05$abc\n"), CRITICAL },
    { "yescrypt", "/.htpasswd", TEXT("bob:$y$j9T$abc$def\n"), CRITICAL },
    { "salted SHA-1", "/.htpasswd", TEXT("bob:{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n"), CRITICAL },
    { "crypt with a comment", "/.htpasswd", TEXT("bob:ab.CdEf/GhIjK:the boss\n"), CRITICAL },
    { "crypt of BSDi", "/.htpasswd", TEXT("bob:_J9..rasmBYk8r9AiWNc\n"), CRITICAL },
    { "digest", "/.htpasswd", TEXT("bob:realm:0123456789abcdef0123456789abcdef\n"), CRITICAL },
    { "dollars without a hash", "/.htpasswd", TEXT("price:$100\n"), NO },
    { "a password as it is", "/.htpasswd", TEXT("bob:secret\n"), NO },
    { "one invalid line", "/.htpasswd", TEXT("bob:$apr1$x$y\nhello\n"), NO },
    { "a profile", "/.aws/credentials",
      TEXT("[default]\naws_access_key_id = AKIA\naws_secret_access_key=x\n"), CRITICAL },
    { "a key without profile", "/.aws/credentials", TEXT("aws_access_key_id = AKIA\n"), NO },
    { "a session", "/.aws/credentials", TEXT("[a]\nAWS_SECRET_ACCESS_KEY = x\n"), CRITICAL },
    { "a profile without key", "/.aws/credentials", TEXT("[default]\nregion = eu\n"), NO },
    { "a key of OpenSSH", "/.ssh/id_rsa", TEXT("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl"),
      CRITICAL },
    { "a key of PKCS #8", "/.ssh/id_rsa", TEXT("-----BEGIN PRIVATE KEY-----\nMII"), CRITICAL },
    { "an encrypted key", "/.ssh/id_rsa", TEXT("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII"),
      CRITICAL },
    { "a public key", "/.ssh/id_rsa", TEXT("-----BEGIN PUBLIC KEY-----\nMII"), NO },
    { "a key of PuTTY", "/.ssh/id_rsa", TEXT("PuTTY-User-Key-File-3: ssh-rsa\n"), CRITICAL },
    { "a key of SSH2", "/.ssh/id_rsa", TEXT("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n"),
      CRITICAL },
    { "a key behind its curve", "/.ssh/id_rsa",
      TEXT("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
           "-----BEGIN EC PRIVATE KEY-----\nMHc"),
      CRITICAL },
    { "a curve alone", "/.ssh/id_rsa",
      TEXT("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"), NO },
    { "a key out of PKCS #12", "/.ssh/id_rsa",
      TEXT("Bag Attributes\n    localKeyID: 01\nsubject=CN = a\n-----BEGIN CERTIFICATE-----\nMII\n"
           "-----END CERTIFICATE-----\nBag Attributes\nKey Attributes: <No Attributes>\n"
           "-----BEGIN PRIVATE KEY-----\nMII"),
      CRITICAL },
    { "a certificate out of it", "/.ssh/id_rsa",
      TEXT("Bag Attributes\n-----BEGIN CERTIFICATE-----\nMII\n"), NO },
    { "a key in the middle", "/.ssh/id_rsa", TEXT("hello\n-----BEGIN PRIVATE KEY-----\n"), NO },
    { "a token", "/.npmrc", TEXT("//registry.npmjs.org/:_authToken=npm_abc\n"), HIGH },
    { "a password", "/.npmrc", TEXT("_password=\"abc\"\n"), HIGH },
    { "basic", "/.npmrc", TEXT("_auth = YTpi\n"), HIGH },
    { "a token from the environment", "/.npmrc",
      TEXT("//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n"), LOW },
    { "a registry", "/.npmrc", TEXT("registry=https://r.example.com/\n@a:registry=https://b/\n"),
      LOW },
    { "a setting", "/.npmrc", TEXT("save-exact=true\n"), NO },
    { "a password for SFTP", "/.vscode/sftp.json", TEXT("{\"host\":\"h\",\"password\":\"p\"}"),
      HIGH },
    { "a key for SFTP", "/.vscode/sftp.json",
      TEXT("{\"name\":1,\"host\":\"h\",\"privateKeyPath\":\"p\"}"), HIGH },
    { "a user for SFTP", "/.vscode/sftp.json", TEXT("{\"host\":\"h\",\"username\":\"p\"}"), HIGH },
    { "a host alone", "/.vscode/sftp.json", TEXT("{\"host\":\"h\"}"), NO },
    { "without host", "/.vscode/sftp.json", TEXT("{\"password\":\"h\"}"), NO },
    { "deeper in", "/.vscode/sftp.json", TEXT("{\"a\":{\"host\":\"h\",\"password\":\"h\"}}"), NO },
    { "a list", "/.vscode/sftp.json", TEXT("[{\"a\":1},{\"host\":\"h\",\"password\":\"h\"}]"),
      HIGH },
    { "a list of halves", "/.vscode/sftp.json", TEXT("[{\"host\":\"h\"},{\"password\":\"h\"}]"),
      NO },
    { "a list in a list", "/.vscode/sftp.json", TEXT("[[{\"host\":\"h\",\"password\":\"h\"}]]"),
      NO },
    { "comments", "/.vscode/sftp.json",
      TEXT(
          "// mine\n{ /* the \"host\" */ \"host\": \"h//x\", // y\n \"username\": \"a /* b\", }\n"),
      HIGH },
    { "members in comments", "/.vscode/sftp.json", TEXT("{ /* \"host\": 1, */ \"password\": 2 }"),
      NO },
    { "commas before an end", "/.vscode/sftp.json",
      TEXT("{\"host\":\"h\",\"ignore\":[\"a\", ],\"password\":\"h\" , // z\n}"), HIGH },
    { "two commas before an end", "/.vscode/sftp.json",
      TEXT("{\"host\":\"h\",\"password\":\"h\",,}"), NO },
    { "a comment that does not end", "/.vscode/sftp.json",
      TEXT("{\"host\":\"h\",\"password\":\"h\"} /* x"), HIGH },
    { "no JSON", "/.vscode/sftp.json", TEXT("{\"host\":\"h\",\"password\":\"h\""), NO },
    /* backups and configurations */
    { "WordPress", "/wp-config.php.bak", TEXT("<?php\ndefine('DB_PASSWORD', 'x');"), CRITICAL },
    { "PHP without a database", "/wp-config.php.bak", TEXT("<?php\necho 1;"), NO },
    { "a database without PHP", "/wp-config.php.bak", TEXT("DB_PASSWORD"), NO },
    { "PHP", "/config.php.bak", TEXT("\n<?php $a = 1;"), HIGH },
    { "PHP by the short tag", "/config.php.bak", TEXT("<?\n$a = 1;"), HIGH },
    { "a comment behind the short tag", "/config.php.bak", TEXT("<? /* a */ define('A', 1);"),
      HIGH },
    { "XML", "/config.php.bak", TEXT("<?xml version=\"1.0\"?><a/>"), NO },
    { "HTML with PHP in it", "/config.php.bak", TEXT("<html><?php $a = 1;"), NO },
    { "web.config", "/web.config", TEXT("<?xml version=\"1.0\"?>\n<configuration>\n"), MEDIUM },
    { "after comments", "/web.config", TEXT("<!-- a -->\n<!-- b --><configuration x='y'>"),
      MEDIUM },
    { "with connections", "/web.config",
      TEXT("<configuration><add connectionString=\"Server=x\"/>"), HIGH },
    { "another root", "/web.config", TEXT("<?xml version=\"1.0\"?><configurations>"), NO },
    { "Compose", "/docker-compose.yml", TEXT("version: '3'\nservices:\n  a:\n    image: b\n"),
      MEDIUM },
    { "Compose that builds", "/docker-compose.yml", TEXT("services:\n  a:\n    build: .\n"),
      MEDIUM },
    { "services alone", "/docker-compose.yml", TEXT("services:\n  a: b\n"), NO },
    { "Compose of the first version", "/docker-compose.yml", TEXT("web:\n  image: nginx\n"),
      MEDIUM },
    { "in prose", "/docker-compose.yml", TEXT("our services: the image: is everything\n"), NO },
    { "a ZIP archive", "/backup.zip", TEXT("PK\3\4\x14"), HIGH },
    { "an empty one", "/backup.zip", TEXT("PK\5\6\0"), HIGH },
    { "its letters", "/backup.zip", TEXT("PK is a name"), NO },
    { "gzip", "/backup.tar.gz", TEXT("\x1f\x8b\x08\0"), HIGH },
    { "another coding", "/backup.tar.gz", TEXT("\x1f\x8b\x07\0"), NO },
    { "a page packed to be sent", "/backup.tar.gz", TEXT("<html>Not found"), NO, "text/html",
      .packed = TEXT("\x1f\x8b\x08\0") },
    { "a text packed to be sent", "/backup.tar.gz", TEXT("Not found"), NO, "text/plain",
      .packed = TEXT("\x1f\x8b\x08\0") },
    { "an archive sent with a content coding", "/backup.tar.gz", TEXT("etc/passwd\0\0\0"), HIGH,
      "application/x-tar", .packed = TEXT("\x1f\x8b\x08\0") },
    { "a database packed to be sent", "/.svn/wc.db", TEXT("SQLite format 3\0\x10\0"), HIGH, "",
      .packed = TEXT("\x1f\x8b\x08\0") },
    { "argon2", "/.htpasswd", TEXT("bob:$argon2id$v=19$m=1$a$b\n"), CRITICAL },
    { "salted SHA-512", "/.htpasswd", TEXT("bob:{SSHA512}W6ph5Mm5\n"), CRITICAL },
    { "requirements of 6.1", "/.hg/requires", TEXT("dirstate-tracked-key-v1\nstore\n"), HIGH },
    { "Compose in one line", "/docker-compose.yml", TEXT("services: {a: {image: b}}\n"), MEDIUM },
    { "Compose with flow services", "/docker-compose.yml", TEXT("services:\n  a: { image: b }\n"),
      MEDIUM },
    { "Compose as JSON", "/docker-compose.yml", TEXT("{\"services\": {\"a\": {\"image\": \"b\"}}}"),
      MEDIUM },
    { "web.config in UTF-16", "/web.config",
      TEXT("\377\376<\000c\000o\000n\000f\000i\000g\000u\000r\000a\000t\000i\000o\000n\000>\000"),
      MEDIUM },
    { "7z", "/backup.zip", TEXT("7z\274\257'\034\000\004"), HIGH },
    { "RAR", "/backup.zip", TEXT("Rar!\032\007\001\000"), HIGH },
    { "bzip2", "/backup.tar.gz", TEXT("BZh91AY&SY\020"), HIGH },
    { "xz", "/backup.tar.gz", TEXT("\3757zXZ\000\000\004"), HIGH },
    { "gzip of a text", "/backup.tar.gz",
      TEXT("\037\213\010\000\000\000\000\000\002\003\363\364\013v\015\nQ\360\364\013\361WH\004\000V"
           "\371\210h\015\000\000\000"),
      HIGH },
    { "gzip of a page", "/backup.tar.gz",
      TEXT("\037\213\010\000\000\000\000\000\002\003\263\311(\311\315\261\363\313/QH\313/"
           "\315K\001\000\252\340\375\227\017\000\000\000"),
      NO },
    /* databases */
    { "a table", "/backup.sql", TEXT("CREATE TABLE a (b int);"), CRITICAL },
    { "rows", "/backup.sql", TEXT("INSERT INTO a VALUES (1);"), CRITICAL },
    { "MySQL", "/dump.sql", TEXT("-- MySQL dump 10.13\n"), CRITICAL },
    { "PostgreSQL", "/dump.sql", TEXT("--\n-- PostgreSQL database dump\n--\n"), CRITICAL },
    { "SQLite", "/dump.sql", TEXT("PRAGMA foreign_keys=OFF;\n"), CRITICAL },
    { "PostgreSQL's own format", "/backup.sql", TEXT("PGDMP\1\16\0\4\10"), CRITICAL },
    { "its letters further on", "/backup.sql", TEXT("not PGDMP"), NO },
    { "MariaDB", "/dump.sql",
      TEXT("/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19\n"), CRITICAL },
    { "phpMyAdmin", "/dump.sql", TEXT("-- phpMyAdmin SQL Dump\n-- version 5.2\n"), CRITICAL },
    { "a cluster", "/dump.sql", TEXT("--\n-- PostgreSQL database cluster dump\n"), CRITICAL },
    { "rows of PostgreSQL", "/dump.sql", TEXT("COPY public.a (b, c) FROM stdin;\n1\t2\n"),
      CRITICAL },
    { "small letters", "/dump.sql", TEXT("create table a (b int);\n"), CRITICAL },
    { "a page about SQL", "/dump.sql", TEXT("<html><p>CREATE TABLE"), NO },
    { "several statements in a line", "/dump.sql",
      TEXT("CREATE DATABASE a;USE a; CREATE TABLE b (c int);"), CRITICAL },
    { "prose about SQL", "/dump.sql",
      TEXT("Use CREATE TABLE to make one, INSERT INTO to fill it.\n"), NO },
    { "prose", "/dump.sql", TEXT("nothing to see"), NO },
    { "a gzip stream", "/dump.sql",
      TEXT("\037\213\010\000\000\000\000\000\002\003\323\325U\360\255\014\016\364QH)\315-"
           "P04\32034\346r\016ru\014qU\010qt\362qUHT\320HR\310\314+"
           "\321\264\346\002\000\335\342\375z,\000\000\000"),
      CRITICAL },
    { "a gzip stream that is cut", "/dump.sql",
      TEXT("\037\213\010\000\000\000\000\000\002\003\001\334\000#\377-- MySQL dump "
           "10.13\n\000\007\034@q\260\003^\307D\311a\010\267yJ(\024\017\027-"
           "R\204\304\030t\336\\\342{#\323\226hG409Pv\251\352?"
           "\234\014\206\022\247P\006\305\230xfcm\205\254\340'"
           "x\326G\302O\345\217F\013\332\273\252\250\263\314\364.q\303'\224\025\236:\340"),
      CRITICAL },
    { "PostgreSQL's own format, packed", "/dump.sql",
      TEXT("\037\213\010\000\000\000\000\000\002\003\013pw\361\015`"
           "\344c\000\000\301\373N\321\010\000\000\000"),
      CRITICAL },
    { "a packed error page", "/dump.sql",
      TEXT("\037\213\010\000\000\000\000\000\002\003\263\311(\311\315\261\363\313/QH\313/"
           "\315K\001\000\252\340\375\227\017\000\000\000"),
      NO },
    { "a packed error", "/dump.sql",
      TEXT("\037\213\010\000\000\000\000\000\002\003\363\313/QH\313/"
           "\315K\001\000I\243\265p\011\000\000\000"),
      NO },
    { "gzip's first bytes alone", "/dump.sql", TEXT("\037\213\010\000"), NO },
    { "a ZIP archive of it", "/dump.sql", TEXT("PK\003\004\024\000"), CRITICAL },
    { "bzip2 of it", "/dump.sql", TEXT("BZh91AY&SY\020 "), CRITICAL },
    { "xz of it", "/dump.sql", TEXT("\3757zXZ\000\000\004"), CRITICAL },
    { "Zstandard of it", "/dump.sql", TEXT("(\265/\375\004"), CRITICAL },
    { "a database of SQLite", "/dump.sql", TEXT("SQLite format 3\000\020\000"), CRITICAL },
    { "SQL Server", "/dump.sql", TEXT("USE [shop]\015\nGO\015\nSET ANSI_NULLS ON\015\n"),
      CRITICAL },
    { "rows of MySQL that may exist", "/dump.sql", TEXT("INSERT IGNORE INTO `a` VALUES (1);"),
      CRITICAL },
    { "rows that are replaced", "/dump.sql", TEXT("REPLACE INTO `a` VALUES (1);"), CRITICAL },
    { "a lock", "/dump.sql", TEXT("LOCK TABLES `a` WRITE;\n"), CRITICAL },
    { "only a database", "/dump.sql", TEXT("CREATE DATABASE shop;\n"), CRITICAL },
    { "in UTF-16", "/dump.sql",
      TEXT("\377\376C\000R\000E\000A\000T\000E\000 \000T\000A\000B\000L\000E\000 \000a\000 "
           "\000(\000b\000 \000i\000n\000t\000)\000;\000"),
      CRITICAL },
    { "prose about locks", "/dump.sql", TEXT("LOCK TABLES is a statement of MySQL.\n"), NO },
    { "prose about databases", "/dump.sql",
      TEXT("CREATE DATABASE and CREATE SCHEMA are synonyms.\n"), NO },
    /* server status */
    { "properties", "/actuator/env", TEXT("{\"activeProfiles\":[],\"propertySources\":[]}"), HIGH },
    { "properties that are cut", "/actuator/env", TEXT("{\"propertySources\":[{\"na"), HIGH,
      .is_cut = true },
    { "properties that break off", "/actuator/env", TEXT("{\"propertySources\":[{\"na"), NO },
    { "properties of Spring Boot 1", "/actuator/env",
      TEXT("{\"profiles\":[],\"server.ports\":{},\"systemProperties\":{\"a\":1}}"), HIGH },
    { "profiles alone", "/actuator/env", TEXT("{\"profiles\":[]}"), NO },
    { "a list of properties", "/actuator/env", TEXT("[{\"propertySources\":[]}]"), NO },
    { "another object", "/actuator/env", TEXT("{\"status\":404}"), NO },
    { "Apache", "/server-status",
      TEXT("<html><title>Apache Status</title><h1>Apache Server Status for x</h1>\n<dl><dt>Server "
           "uptime: 1"),
      MEDIUM, "text/html" },
    { "Apache for machines", "/server-status", TEXT("Total Accesses: 12\nTotal kBytes: 3\n"),
      MEDIUM },
    { "nginx", "/server-status",
      TEXT("Active connections: 2 \nserver accepts handled requests\n 3 3 4 \n"), MEDIUM },
    { "half of it", "/server-status", TEXT("<html><h1>Apache Server Status</h1>"), NO,
      "text/html" },
    { "phpinfo", "/phpinfo.php",
      TEXT("<!DOCTYPE html><title>PHP 8.2.1 - phpinfo()</title><h1 class=\"p\">PHP Version "
           "8.2.1</h1>\n"
           "<tr><td class=\"e\">System </td><td class=\"v\">Linux"),
      MEDIUM, "text/html" },
    { "phpinfo of old", "/phpinfo.php",
      TEXT("<html><title>phpinfo()</title><h1>Configuration</h1>\n<tr><td "
           "class=\"e\">allow_url_fopen</td><td class=\"v\">On</td>"),
      MEDIUM, "text/html" },
    { "phpinfo in a page of one's own", "/phpinfo.php",
      TEXT("<html><title>Server</title>PHP Version 7.4<td class=\"e\">Server API </td><td "
           "class=\"v\">FPM"),
      MEDIUM, "text/html" },
    { "phpinfo as text", "/phpinfo.php",
      TEXT("phpinfo()\nPHP Version => 8.2.1\n\nSystem => Linux\n"), MEDIUM },
    { "an article about it", "/phpinfo.php",
      TEXT("<!DOCTYPE html><title>What is phpinfo()</title><h1>PHP Version 8 and "
           "phpinfo()</h1><p>Configuration File "
           "(php.ini) Path</p><h1>Configuration</h1>"),
      NO, "text/html" },
    { "an article that shows its markup", "/phpinfo.php",
      TEXT("<html><title>phpinfo()</title>PHP Version 8 &lt;td class=\"e\"&gt;System &lt;/td&gt;"),
      NO, "text/html" },
    { "a version alone", "/phpinfo.php", TEXT("<html>PHP Version 8"), NO, "text/html" },
    { "a log", "/wp-content/debug.log",
      TEXT("[21-Nov-2026 10:44:05 UTC] PHP Warning:  Undefined\n"), MEDIUM },
    { "WordPress's own messages", "/wp-content/debug.log",
      TEXT("[21-Nov-2026 10:44:05 UTC] WordPress database error Table 'x' doesn't exist\n"),
      MEDIUM },
    { "a plug-in's", "/wp-content/debug.log",
      TEXT("#0 x\n[21-Nov-2026 10:44:05 Europe/Berlin] my-plugin: a\n"), MEDIUM },
    { "a time alone", "/wp-content/debug.log", TEXT("[21-Nov-2026 10:44:05 UTC]\n"), NO },
    { "a log of another", "/wp-content/debug.log", TEXT("[2026-11-21 10:44:05] PHP Warning\n"),
      NO },
    { "the Finder's", "/.DS_Store", TEXT("\0\0\0\1Bud1\0"), LOW },
    { "zeros", "/.DS_Store", TEXT("\0\0\0\1\0\0\0\0\0"), NO },
};

static struct exposures *exposures;

static const struct exposure *exposure_of(const char *path)
{
    for (size_t i = 0; i < exposures->count; i++)
        if (strcmp(exposures->item[i].path, path) == 0)
            return &exposures->item[i];
    fail_msg("%s is not in the file", path);
    return NULL;
}

static void check(void **state)
{
    const struct row *row = *state;
    const struct content content = { row->body, row->media_type ? row->media_type : "text/plain",
                                     row->is_cut, row->packed };
    struct finding finding = { .severity = SEVERITIES };
    bool fits = exposure_fits(exposure_of(row->path), &content, &finding);
    assert_int_equal(finding.severity, row->want);
    assert_int_equal(fits, row->want != NO);
    if (!fits)
        return;
    assert_true(finding.is_sure);
    assert_non_null(finding.evidence);
}

/* Each path has a matching row and another one. */
static void each_path_is_tested(void **state)
{
    (void)state;
    assert_int_equal(exposures->count, 25);
    for (size_t i = 0; i < exposures->count; i++) {
        size_t good = 0;
        for (size_t k = 0; k < countof(rows); k++)
            good += strcmp(rows[k].path, exposures->item[i].path) == 0 && rows[k].want != NO;
        if (good == 0)
            fail_msg("%s has no row", exposures->item[i].path);
    }
}

/* ---- pages ---- */

static const struct page_row {
    const char *name;
    struct text body;
    const char *media_type;
    bool is_page;
} page_rows[] = {
    { "a doctype", TEXT("\n <!DoCtYpE html>"), "text/plain", true },
    { "html", TEXT("<HTML>"), "", true },
    { "a mark", TEXT("\xef\xbb\xbf<html>"), "", true },
    { "a tag later, by its type", TEXT("hello <body>"), "text/html", true },
    { "a tag later, as text", TEXT("hello <body>"), "text/plain", false },
    { "XML", TEXT("<configuration>"), "application/xml", false },
    { "a lone bracket", TEXT("<"), "text/html", false },
    { "nothing", TEXT(""), "text/html", false },
};

static void check_page(void **state)
{
    const struct page_row *row = *state;
    const struct content content = { row->body, row->media_type, false };
    assert_int_equal(content_is_page(&content), row->is_page);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_path_is_tested) };
    struct err err = { 0 };
    if (!exposures_load(PATHS, &exposures, &err))
        return 1;
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(page_rows, check_page) +
                 cmocka_run_group_tests(tests, NULL, NULL);
    exposures_free(&exposures);
    return failed;
}
