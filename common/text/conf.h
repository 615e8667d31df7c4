/*
 * common/text/conf.h - the configuration: tollgate.yaml, and the environment above it.
 *
 * Every key of the product is one row of text/conf.def, with its type, default and meaning. A key
 * `bus.listen` stands in the file as `bus: { listen: … }` and in the environment as
 * TOLLGATE_BUS_LISTEN; the environment wins. A key that does not exist, in either place, is an
 * error, so that a typing mistake never passes for a default. Secrets are never values: their keys
 * end in _file and name a file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/codec/cidr.h"
#include "base/err.h"

/* The variable that names the file; the one TOLLGATE_ variable that is no key. */
#define CONF_VARIABLE "TOLLGATE_CONFIG"

struct conf;

/* Read the file (NULL: none; it may be empty) and the environment. Errors: ERR_INVALID_VALUE, one
 * line that names the file and key, or the variable, but never a value. */
bool conf_load(const char *path, struct conf **conf, struct err *err) must_check;
void conf_free(struct conf **conf);

/* The same for a server's command line, which is `--config FILE` or nothing; without it the
 * environment may name the file. The log is open then (log.level), and its lines are from name.
 * Errors also for other arguments. */
bool conf_open(int argc, char **argv, const char *name, struct conf **conf,
               struct err *err) must_check;

/* A value by its key; a key that is not in conf.def or has another type is a bug. Texts are
 * borrowed from conf; an unset one is "". */
const char *conf_str(const struct conf *conf, const char *key);
int64_t conf_int(const struct conf *conf, const char *key);
bool conf_bool(const struct conf *conf, const char *key);

/* Is a number within these limits? Errors: ERR_INVALID_VALUE, which names the key and both. */
bool conf_check_range(const struct conf *conf, const char *key, int64_t min, int64_t max,
                      struct err *err) must_check;

/* A comma-separated text (or YAML list): item i, without blanks around it; NULL past the end. */
const char *conf_item(const struct conf *conf, const char *key, size_t i);

/* Add the networks of a list to another, which the caller releases. Errors: ERR_INVALID_VALUE that
 * names the key and the item's number. */
bool conf_networks(const struct conf *conf, const char *key, struct cidrs *networks,
                   struct err *err) must_check;

/* The content of the secret file that key names, without white space at its end, at most 4096
 * bytes; the caller's. Errors: ERR_INVALID_VALUE naming the key and the file, also for a key that
 * is not set, an empty file and one that holds NUL. */
bool conf_secret(const struct conf *conf, const char *key, char **secret,
                 struct err *err) must_check;

/* Append a tollgate.yaml that sets every key to its default, with its meaning above it. */
bool conf_describe(struct buf *out);
