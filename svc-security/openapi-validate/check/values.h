/*
 * svc-security/openapi-validate/check/values.h - check plain values of fields, and the syntax of
 * texts.
 */
#pragma once

#include "check.h"

/* Check a value against its field and report findings. */
void check_value(struct check *check, struct node *node, const struct field *field);

/* Does the value have the type that the schema itself declares, or null if allowed? */
bool fits_type(const struct check *check, const struct node *schema, const struct node *value);

bool is_extension(struct text name);       /* x-… */
bool has_uri_characters(struct text text); /* RFC 3986, and non-ASCII characters of RFC 3987 */
bool is_uri_reference(struct text text);   /* section 4.1, also with brackets anywhere */
bool is_uri(struct text text);             /* the same, with a scheme */
bool is_email(struct text text);
bool is_mime_type(struct text text); /* type/subtype or a range, with optional parameters */
bool is_component_name(struct text text);
bool is_token(struct text text);              /* RFC 9110 section 5.6.2 */
bool is_template_name_safe(struct text text); /* only unreserved characters of RFC 3986 */

/* Type and subtype of a media type, without parameters and spaces. */
struct text mime_essence(struct text text);
