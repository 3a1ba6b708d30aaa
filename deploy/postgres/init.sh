#!/bin/sh
# At the first start of the PostgreSQL image: creates roles and databases of the five services with
# the passwords in the folder $PASSWORDS. Mounted with database.sql in /docker-entrypoint-initdb.d.
set -eu
for service in accounts equipment operator-updates billing notifications; do
  psql --no-psqlrc -q -U postgres -d postgres \
    -v "service=$(echo "$service" | tr - _)" \
    -v "password=$(cat "$PASSWORDS/$service")" \
    -v "owner_password=$(cat "$PASSWORDS/$service-owner")" \
    -f "${SQL:-/databases/database.sql}"
done
