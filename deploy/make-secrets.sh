#!/usr/bin/env bash
# Makes the passwords of the store's users and of Grafana, each once: `make-secrets.sh [FOLDER]`, by default secrets/.
# Remove one and run it again to have a new one.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-$here/secrets}"
umask 077
mkdir -p "$folder"
for name in referee operator grafana; do
  [ -s "$folder/$name-password" ] || head -c 32 /dev/urandom | base64 | tr -d '\n=' | tr '+/' '-_' >"$folder/$name-password"
done
hash_of() { sha256sum <"$folder/$1-password" | cut -d ' ' -f 1; }
sed "s/#REFEREE/#$(hash_of referee)/; s/#OPERATOR/#$(hash_of operator)/" \
  "$here/redis/users.acl.example" >"$folder/users.acl"
# The programs in the containers have users of their own; the folder keeps everybody else out.
chmod 700 "$folder"
chmod 644 "$folder"/*
