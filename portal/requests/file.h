/* portal/requests/file.h - requests as a CSV file of any length, in constant memory. */
#pragma once

#include "portal/requests/select.h"

/* Respond with the requests of the filter, newest first. If all places for exports are taken: 503
 * "Too many exports are running. Try again in a minute." */
void request_file_answer(struct visit *visit, const struct request_filter *filter);
