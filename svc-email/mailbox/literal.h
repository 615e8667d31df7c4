/*
 * svc-email/mailbox/literal.h - what stands in brackets in place of a domain: RFC 5321 section
 * 4.1.3.
 */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "mailbox/diagnosis.h"

/* Judge the text between the brackets: DIAGNOSIS_address_literal for an IP address, else what is
 * wrong with it, *at being the byte it is about. */
enum mailbox_diagnosis literal_diagnose(struct text inside, size_t *at);
