#!/usr/bin/env bash
# Makes the passwords of the store's users and of Grafana, each once: `make-secrets.sh [FOLDER]`, by default secrets/.
# To change one of the store's, rename it to NAME-password.old: both are good until that is removed, see RUNBOOK.md.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-$here/secrets}"
umask 077
mkdir -p "$folder"
chmod 700 "$folder"
for name in referee operator grafana; do
  file="$folder/$name-password"
  [ -s "$file" ] || head -c 32 /dev/urandom | base64 | tr -d '\n=' | tr '+/' '-_' >"$file"
done
hashes_of() { sha256sum "$folder/$1-password"* | sed 's/ .*//; s/^/#/' | tr '\n' ' '; }
sed "s/#REFEREE/$(hashes_of referee)/; s/#OPERATOR/$(hashes_of operator)/" \
  "$here/redis/users.acl.example" >"$folder/users.acl"
# The programs in the containers have users of their own; the folder keeps everybody else out.
chmod 644 "$folder"/*
