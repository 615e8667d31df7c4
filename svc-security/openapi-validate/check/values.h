/*
 * svc-security/openapi-validate/check/values.h - plain values of fields, and what texts look like.
 */
#pragma once

#include "check.h"

/* Is the value what its field takes? Reports what is not. */
void check_value(struct check *check, struct node *node, const struct field *field);

/* Only the type that the schema itself says, with null where it is allowed. */
bool fits_type(const struct check *check, const struct node *schema, const struct node *value);

bool is_extension(struct text name);       /* x-… */
bool has_uri_characters(struct text text); /* RFC 3986, and those beyond ASCII of RFC 3987 */
bool is_uri_reference(struct text text); /* section 4.1, with brackets wherever people write them */
bool is_uri(struct text text);           /* the same, with a scheme */
bool is_email(struct text text);
bool is_mime_type(struct text text); /* type/subtype or a range, with or without parameters */
bool is_component_name(struct text text);
bool is_token(struct text text);              /* RFC 9110 section 5.6.2 */
bool is_template_name_safe(struct text text); /* unreserved characters of RFC 3986 only */

/* The type and subtype of a media type, without parameters and blanks. */
struct text mime_essence(struct text text);
