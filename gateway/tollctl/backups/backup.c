/* gateway/tollctl/backups/backup.c - what the backup service reported, and how much a restore would
 * lose now. */
#include <stdlib.h>
#include <string.h>

#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

/* The limits of the alerts BackupServiceSilent, BackupLate and WalArchivingLate. A segment of the
 * write-ahead log is archived at least once a minute, because each report is a write. */
static const char status_sql[] =
    "select b.reported_at, b.full_at, b.backup_at, b.oldest_at, b.backups, b.bytes,"
    "       a.last_archived_time as archived_at,"
    "       a.last_failed_time as archive_failed_at, b.error,"
    "       case when b.reported_at < now() - interval '15 minutes'"
    "                then 'the backup service has not reported for 15 minutes'"
    "            when b.error like 'the repository cannot be read: %'"
    "                then 'the repository cannot be read'"
    "            when b.error is not null then 'the last backup failed'"
    "            when b.full_at is null then 'there is no backup yet'"
    "            when b.backup_at < now() - interval '26 hours'"
    "                then 'the newest backup is older than 26 hours'"
    "            when a.last_archived_time is null"
    "              or a.last_archived_time < now() - interval '5 minutes'"
    "                then 'no segment of the write-ahead log was archived for 5 minutes'"
    "            else 'ok' end as status"
    "  from backup_state b cross join pg_stat_archiver a";

static bool backup_status(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    if (!sql_row(ctl->sql, status_sql, NO_PARAMS, answer, err))
        return false;
    if (!json_text(answer, "/status"))
        return err_set(err, ERR_NOT_FOUND,
                       "no backup service has reported to this database; see"
                       " docs/operate/backup-and-restore.md");
    bool is_ok = strcmp(json_text(answer, "/status"), "ok") == 0;
    json_bool(answer, "ok", is_ok);
    ctl->status = is_ok ? EXIT_SUCCESS : EXIT_FAILURE;
    ctl->remark = "A restore can recover each time from oldest_at to archived_at.";
    return true;
}

/* clang-format off */
const struct command backup_commands[] = {
    { "backup status", "Show the backups of the database, and until when it could be restored; exit 1 if one is late.", backup_status },
    { 0 },
};
/* clang-format on */
