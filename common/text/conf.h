/*
 * common/text/conf.h - the configuration: tollgate.yaml, overridden by the environment.
 *
 * Every key is one row of text/conf.def, with its type, default and meaning. The key `bus.listen`
 * is `bus: { listen: … }` in the file and TOLLGATE_BUS_LISTEN in the environment. An unknown key in
 * either place is an error, so that a typing error never results in the default. Secrets are never
 * values: their keys end in _file and name a file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/codec/cidr.h"
#include "base/err.h"

/* The variable that names the file; the only TOLLGATE_ variable that is not a key. */
#define CONF_VARIABLE "TOLLGATE_CONFIG"

struct conf;

/*
 * Read the file (NULL: none; it may be empty) and the environment. Errors: ERR_INVALID_VALUE, one
 * line with the file and key, or the variable, but never a value.
 */
bool conf_load(const char *path, struct conf **conf, struct err *err) must_check;
void conf_free(struct conf **conf);

/*
 * The same for a server's command line, `--config FILE` or nothing; without it, the environment may
 * name the file. Also opens the log (log.level) with this name. Other arguments are an error.
 */
bool conf_open(int argc, char **argv, const char *name, struct conf **conf,
               struct err *err) must_check;

/* A value by its key. An unknown key or another type is a bug. Texts are borrowed from conf; an
 * unset one is "". */
const char *conf_str(const struct conf *conf, const char *key);
int64_t conf_int(const struct conf *conf, const char *key);
bool conf_bool(const struct conf *conf, const char *key);

/* Is a number within these limits? Errors: ERR_INVALID_VALUE with the key and both limits. */
bool conf_check_range(const struct conf *conf, const char *key, int64_t min, int64_t max,
                      struct err *err) must_check;

/* Item i of a list, without outer blanks; NULL after the last. */
const char *conf_item(const struct conf *conf, const char *key, size_t i);

/*
 * Add the networks of a list to another list, which the caller releases. Errors: ERR_INVALID_VALUE
 * with the key and the item's number.
 */
bool conf_networks(const struct conf *conf, const char *key, struct cidrs *networks,
                   struct err *err) must_check;

/*
 * The content of the secret file that key names, without final white space, at most 4096 bytes; the
 * caller releases it. Errors: ERR_INVALID_VALUE with the key and the file, also if the key is not
 * set, the file is empty, or it contains NUL.
 */
bool conf_secret(const struct conf *conf, const char *key, char **secret,
                 struct err *err) must_check;

/* Append a tollgate.yaml that sets every key to its default, with its meaning as a comment. */
bool conf_describe(struct buf *out);
