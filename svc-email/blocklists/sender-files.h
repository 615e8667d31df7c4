/*
 * svc-email/blocklists/sender-files.h - what the tools that judge senders read from files. One kind
 * of data for all of them, so that they share the health of the lists.
 */
#pragma once

#include "blocklists/lists.h"
#include "senders/mail-providers.h"
#include "svc/data.h"

struct sender_files {
    struct mail_providers *providers;
    struct dnsbls *lists; /* constant, except their health, which has its own lock */
};

extern const struct data_kind sender_files_data;
