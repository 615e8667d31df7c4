/*
 * svc-chat/chatplatform-command-validate/validate.h - validates and cleans commands. Rules: the
 * platform's documentation, "Application Commands", as of 2026-08-06; otherwise its OpenAPI
 * description, as of 2026-07-18.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "findings/subject.h"

enum command_type { TYPE_CHAT_INPUT = 1, TYPE_USER, TYPE_MESSAGE, TYPE_ENTRY_POINT, COMMAND_TYPES };

enum option_type {
    OPTION_SUB_COMMAND = 1,
    OPTION_GROUP,
    OPTION_STRING,
    OPTION_INTEGER,
    OPTION_BOOLEAN,
    OPTION_USER,
    OPTION_CHANNEL,
    OPTION_ROLE,
    OPTION_MENTIONABLE,
    OPTION_NUMBER,
    OPTION_ATTACHMENT,
    OPTION_TYPES,
};

enum {
    LIMIT_NAME = 32,
    LIMIT_DESCRIPTION = 100,
    LIMIT_OPTIONS = 25,
    LIMIT_CHOICES = 25,
    LIMIT_CHOICE_NAME = 100,
    LIMIT_CHOICE_TEXT = 100,
    LIMIT_LENGTH = 6000, /* of a text that a user can enter */
    LIMIT_FILE_TYPES = 10,
    LIMIT_COMMAND = 8000, /* total characters; 4000 before February 2024 */
};

struct stats {
    size_t options, subcommands, groups, choices;
    size_t depth;
};

struct validation {
    struct subject subject;
    bool strict;   /* warnings are errors */
    bool is_guild; /* scope */
    size_t size;   /* characters of the current command */
    struct stats stats;
};

/* Add a warning about something that the platform accepts. */
void validation_warn(struct validation *validation, const struct path *path, const char *code,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

struct issues *errors_of(struct validation *validation);

/* ---- text.c ---- */

/* Does object have the member `name`, and is it not null? */
bool has(const cJSON *object, const char *name);

/*
 * Check the members name and name_localizations and copy them to out. The name of a slash command
 * must match the name pattern; any other has 1 to max characters. Adds the length of the longest
 * form to the command's size.
 */
void check_name(struct validation *validation, const struct path *path, const cJSON *object,
                bool is_slash, size_t max, cJSON *out);

/* Check the members description and description_localizations, 1 to LIMIT_DESCRIPTION
 * characters. */
void check_description(struct validation *validation, const struct path *path, const cJSON *object,
                       bool is_required, cJSON *out);

/* Check a boolean member and copy it to out; `fallback` if it is absent (-1: omitted). */
bool check_bool(struct validation *validation, const struct path *path, const cJSON *object,
                const char *name, int fallback, cJSON *out);

/* Warn if two objects of a list have the same name in one language. */
void check_translations(struct validation *validation, const struct path *path, const cJSON *list);

/* ---- options.c ---- */

/* Check the options of a command, or of an option of that type. */
void check_options(struct validation *validation, const struct path *path, const cJSON *list,
                   enum option_type inside, size_t depth, cJSON *out);

/* ---- usage.c ---- */

/*
 * Write usage, such as "/mod ban user:<user> [reason:<string>]" for each command that can be
 * called, and mention_template, "</mod ban:ID>" for the first one, or null. Reads a cleaned
 * command.
 */
void write_usage(const cJSON *command, cJSON *result);

/* ---- command.c ---- */

/* Check one command; returns it cleaned, owned by the caller. Its size and stats are in
 * validation. */
cJSON *check_command(struct validation *validation, const struct path *path, const cJSON *command);
