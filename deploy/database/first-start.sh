#!/bin/sh
# deploy/database/first-start.sh - the postgres image's entry point runs this once, in a new
# cluster.
set -eu
psql -X -q -v ON_ERROR_STOP=1 -d postgres -f /usr/share/tollgate/roles.sql
set-passwords
