#!/bin/sh
# deploy/database/first-start.sh - run once, by the entry point of the postgres image, in a new cluster.
set -eu
psql -X -q -v ON_ERROR_STOP=1 -d postgres -f /usr/share/tollgate/roles.sql
set-passwords
