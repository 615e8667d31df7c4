/*
 * svc-email/mailbox/literal.h - an IP address in brackets instead of a domain: RFC 5321 section
 * 4.1.3.
 */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "mailbox/diagnosis.h"

/* Check the text between the brackets. Returns DIAGNOSIS_address_literal for an IP address,
 * otherwise the problem, with its offset in *at. */
enum mailbox_diagnosis literal_diagnose(struct text inside, size_t *at);
