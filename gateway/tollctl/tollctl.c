/*
 * gateway/tollctl/tollctl.c - the operator's command line: find the command, parse its arguments,
 * open what it needs, run it, print its output.
 */
#include "gateway/tollctl/tollctl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/build.h"
#include "base/mem.h"
#include "db/sql.h"
#include "gateway/tollctl/out.h"

enum {
    WORDS_MAX = 256,
    HELP_MAX_BYTES = 64 << 10,
    ANSWER_MAX_BYTES = 256 << 20,
    CONNECT_TIMEOUT_MS = 5000,
};

static const struct command *const groups[] = {
    account_commands, token_commands,   ledger_commands,  member_commands,
    mail_commands,    order_commands,   invoice_commands, pack_commands,
    plan_commands,    request_commands, signup_commands,  verify_commands,
    backup_commands,  db_commands,      keys_commands,    config_commands,
};

/* The command line without global options. */
struct line {
    const char *config; /* NULL: not given */
    bool is_json;
    bool wants_help;
    bool wants_version;
    size_t count;
    const char *words[WORDS_MAX + 1]; /* ended by NULL */
};

/* ---- the line ---- */

/* Parse --config FILE or --config=FILE at argv[*i]; leaves *i at its last word. */
static bool take_config(char **argv, int *i, struct line *line, struct err *err)
{
    const char *equals = strchr(argv[*i], '=');
    line->config = equals ? equals + 1 : argv[*i + 1];
    if (!line->config || line->config[0] == '\0')
        return err_set(err, ERR_INVALID_VALUE, "--config needs a value: --config FILE");
    *i += equals == NULL;
    return true;
}

static bool read_line(int argc, char **argv, struct line *line, struct err *err)
{
    bool options_end = false;
    if (argc > WORDS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "more than %d arguments", WORDS_MAX);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        options_end |= strcmp(word, "--") == 0;
        if (options_end)
            line->words[line->count++] = word;
        else if (strcmp(word, "--json") == 0)
            line->is_json = true;
        else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            line->wants_help = true;
        else if (strcmp(word, "--version") == 0)
            line->wants_version = true;
        else if (strcmp(word, "--config") != 0 && strncmp(word, "--config=", 9) != 0)
            line->words[line->count++] = word;
        else if (!take_config(argv, &i, line, err))
            return false;
    }
    return true;
}

/* The number of the line's first words that are this command's name; 0: another command. */
static size_t count_name(const struct command *command, const struct line *line)
{
    const char *name = command->name;
    for (size_t i = 0; i < line->count; i++) {
        size_t size = strcspn(name, " ");
        if (strlen(line->words[i]) != size || memcmp(name, line->words[i], size) != 0)
            return 0;
        if (name[size] == '\0')
            return i + 1;
        name += size + 1;
    }
    return 0;
}

static const struct command *find_command(const struct line *line, size_t *name_words)
{
    for (size_t i = 0; i < countof(groups); i++)
        for (const struct command *command = groups[i]; command->name; command++)
            if ((*name_words = count_name(command, line)) > 0)
                return command;
    return NULL;
}

/* ---- help ---- */

static bool begins_with_word(const char *name, const char *word)
{
    size_t size = strlen(word);
    return strncmp(name, word, size) == 0 && (name[size] == ' ' || name[size] == '\0');
}

/* List the commands whose first word is word (NULL: all). Returns their number. */
static size_t list_commands(const char *word, struct buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < countof(groups); i++)
        for (const struct command *command = groups[i]; command->name; command++)
            if (!word || begins_with_word(command->name, word)) {
                buf_format(out, "  %-16s %s\n", command->name, command->summary);
                count++;
            }
    return count;
}

static void help_command(const struct command *command, struct buf *out)
{
    buf_format(out, "usage: tollctl %s", command->name);
    args_usage(command->args, out);
    buf_format(out, "\n%s\n\n", command->summary);
    args_help(command->args, out);
    buf_add_str(out, "  --json                 print JSON\n");
    if (!command->is_offline)
        buf_add_str(out,
                    "  --config FILE          tollgate.yaml; default: the file in " CONF_VARIABLE
                    ", or built-in defaults\n");
}

static void help_all(const char *word, struct buf *out)
{
    buf_add_str(out, "usage: tollctl [--config FILE] [--json] COMMAND ...\n\n");
    list_commands(word, out);
    buf_add_str(out, "\n`tollctl COMMAND --help` shows the command's arguments.\n"
                     "Exit status: 0 success, 1 failure or findings, 64 bad usage, "
                     "69 the database or the payment processor cannot be reached, "
                     "70 `verify` or `order reconcile` could not finish, "
                     "78 bad configuration.\n");
}

/* ---- run ---- */

/* Print one line, whatever the message contains. */
static int fail(int status, const char *message)
{
    fputs("tollctl: ", stderr);
    for (; *message; message++)
        if (!iscntrl((unsigned char)*message))
            fputc(*message, stderr);
        else if (message[1] != '\0')
            fputc(' ', stderr);
    fputc('\n', stderr);
    return status;
}

static bool write_out(const struct buf *text)
{
    return fwrite(buf_str(text), 1, text->size, stdout) == text->size && fflush(stdout) == 0 &&
           !text->full;
}

static int help(const struct line *line, const struct command *command)
{
    scoped(buf_free) struct buf text = BUF(HELP_MAX_BYTES);
    scoped(buf_free) struct buf none = BUF(HELP_MAX_BYTES);
    const char *word =
        line->count > 0 && list_commands(line->words[0], &none) > 0 ? line->words[0] : NULL;
    if (command)
        help_command(command, &text);
    else
        help_all(word, &text);
    return write_out(&text) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int refuse_command(const struct line *line)
{
    scoped(buf_free) struct buf text = BUF(HELP_MAX_BYTES);
    if (line->count == 0)
        return fail(EX_USAGE, "no command given; see `tollctl --help`");
    if (list_commands(line->words[0], &text) > 0) {
        fprintf(stderr, "tollctl: incomplete command; choose one:\n%s", buf_str(&text));
        return EX_USAGE;
    }
    scoped(mem_free) char *message =
        str_format("unknown command %.40s; see `tollctl --help`", line->words[0]);
    return fail(EX_USAGE, message);
}

static int refuse_arguments(const struct command *command, const char *why)
{
    scoped(mem_free) char *message = str_format("%s; see `tollctl %s --help`", why, command->name);
    return fail(EX_USAGE, message);
}

static bool read_configuration(const char *path, struct tollctl *ctl, char **password,
                               struct err *err)
{
    if (!conf_load(path ? path : getenv(CONF_VARIABLE), &ctl->conf, err))
        return false;
    return conf_str(ctl->conf, "db.owner_password_file")[0] == '\0' ||
           conf_secret(ctl->conf, "db.owner_password_file", password, err);
}

static bool print_answer(const struct tollctl *ctl, const cJSON *answer)
{
    scoped(buf_free) struct buf text = BUF(ANSWER_MAX_BYTES);
    if (ctl->is_silent)
        return write_out(&text);
    if (ctl->is_json) {
        json_print(answer, &text);
        buf_add_byte(&text, '\n');
    } else {
        out_answer(answer, &text);
        if (ctl->remark)
            buf_format(&text, "\n%s\n", ctl->remark);
    }
    return write_out(&text);
}

static int run(struct tollctl *ctl)
{
    scoped(json_free) cJSON *answer = json_object();
    struct err err = { 0 };

    if (!ctl->command->run(ctl, answer, &err)) {
        fflush(stdout);
        return fail(ctl->status != 0 ? ctl->status : EXIT_FAILURE, err.message);
    }
    if (!print_answer(ctl, answer))
        return fail(EXIT_FAILURE, "the command succeeded, but its output could not be written");
    return ctl->status;
}

static int open_and_run(const struct line *line, struct tollctl *ctl)
{
    scoped(mem_free) char *password = NULL;
    struct err err = { 0 };
    int status;

    if (ctl->command->is_offline)
        return run(ctl);
    if (!read_configuration(line->config, ctl, &password, &err))
        status = fail(EX_CONFIG, err.message);
    else if (!sql_open(conf_str(ctl->conf, "db.owner_url"), password, CONNECT_TIMEOUT_MS, &ctl->sql,
                       &err))
        status = fail(EX_UNAVAILABLE, err.message);
    else
        status = run(ctl);
    sql_close(&ctl->sql);
    conf_free(&ctl->conf);
    return status;
}

int main(int argc, char **argv)
{
    struct line line = { 0 };
    struct tollctl ctl = { 0 };
    struct err err = { 0 };
    size_t name_words = 0;

    if (!read_line(argc, argv, &line, &err))
        return fail(EX_USAGE, err.message);
    if (line.wants_version) {
        printf("tollctl %s (%s)\n", TOLLGATE_VERSION, build_name);
        return EXIT_SUCCESS;
    }
    ctl.command = find_command(&line, &name_words);
    ctl.is_json = line.is_json;
    if (line.wants_help)
        return help(&line, ctl.command);
    if (!ctl.command)
        return refuse_command(&line);
    if (!args_parse(ctl.command->args, line.words + name_words, &ctl.args, &err))
        return refuse_arguments(ctl.command, err.message);
    return open_and_run(&line, &ctl);
}
