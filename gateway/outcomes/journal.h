/*
 * gateway/outcomes/journal.h - lines in a file that outlive this process.
 *
 * Each process has its own file in a folder that gateways of this machine share, and keeps it
 * locked. So a file that is not locked belongs to a process that has ended, and any process may
 * take its lines over. A line survives the death of the process, also by SIGKILL, as soon as
 * journal_add() returns; it may not survive a crash of the machine, because nothing is synced.
 *
 * The caller locks.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"

struct journal;

/* Make this process's file in the folder. Errors: ERR_INVALID_VALUE, for the operator. */
bool journal_open(const char *folder, struct journal **journal, struct err *err) must_check;

/* Append whole lines. False: the disk is full or broken. */
bool journal_add(struct journal *journal, struct text lines) must_check;

/*
 * Read the lines of one process that has ended, and its file's name. False: no file is left. A file
 * stays until journal_remove(): first add the lines that are still needed. Call journal_release()
 * afterwards in any case. Lines after the limit of out are not read.
 */
bool journal_find(struct journal *journal, struct buf *out);
void journal_remove(struct journal *journal); /* the file that journal_find() returned */
void journal_release(struct journal *journal);

/* Remove all lines of this process's file. */
void journal_clear(struct journal *journal);

/* Keep the lines for another process. Without lines, remove the file. Accepts NULL. */
void journal_close(struct journal **journal);
