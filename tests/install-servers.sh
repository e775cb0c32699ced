#!/usr/bin/env bash
# Installs what tests and benchmarks need beyond Python packages, on Debian and its kin; needs root.
set -euo pipefail
packages=()
command -v redis-server >/dev/null || packages+=(redis-server)
command -v h2load >/dev/null || packages+=(nghttp2-client)
command -v chromium >/dev/null || packages+=(chromium)
command -v npm >/dev/null || packages+=(nodejs npm)
command -v haproxy >/dev/null || packages+=(haproxy)
command -v prometheus >/dev/null || packages+=(prometheus)
command -v systemd-analyze >/dev/null || packages+=(systemd)
if ((${#packages[@]})); then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
example="$(dirname "$0")/../clients/examples"
if ! [[ "$example/node_modules/.package-lock.json" -nt "$example/package-lock.json" ]]; then
  npm ci --prefix "$example" --no-audit --no-fund --loglevel=error >/dev/null
fi
