/*
 * svc-utils/json-to-code/languages/target.h - the targets. Each function writes a whole file for a
 * named model.
 */
#pragma once

#include "json-to-code/model/model.h"

typedef void target_write(struct model *model, struct buf *out);

target_write write_json_schema;
target_write write_typescript;
target_write write_go;
target_write write_python;
target_write write_rust;
target_write write_kotlin;
target_write write_zod;
target_write write_java;
target_write write_csharp;
target_write write_php;

/* Can Go's struct tags contain all names of a type's fields? Otherwise it is a map in Go. */
bool go_is_struct(const struct object *object);

/* Can a JVM class have all fields? Otherwise the type is a map in Kotlin and Java. */
bool kotlin_is_class(const struct object *object);
