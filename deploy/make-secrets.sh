#!/bin/sh
# Makes the secrets that compose.yaml mounts, once: those that are there already stay.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
cd secrets

make() {
  [ -e "$1" ] || printf '%s\n' "$2" >"$1"
}

make postgres-password "$(openssl rand -hex 24)"
make database-url "postgres://postdate:$(cat postgres-password)@postgres:5432/postdate"
make root-key "pd_$(openssl rand -hex 24)"
make encryption-key "$(openssl rand -hex 32)"

# The folder keeps others out. The files are mounted one by one, for a user with another number.
chmod 444 ./*
echo "The root API key is in $(pwd)/root-key. Keep a copy of encryption-key where the backups are."
