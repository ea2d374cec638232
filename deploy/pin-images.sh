#!/bin/sh
# Writes into deploy/.env the images that the Dockerfile and compose.yaml name, each with the digest that
# its tag has today; other lines stay. `docker compose` reads the file by itself. Needs docker with buildx,
# and the registries.
set -eu
cd "$(dirname "$0")"
trap 'rm -f .env.tags .env.new' EXIT

# NAME=image of the Dockerfile's arguments, and of ${NAME:-image} in compose.yaml.
{
  sed -n 's/^ARG \([A-Z]*_IMAGE\)=\(.*\)$/\1=\2/p' Dockerfile
  sed -n 's/^.*\${\([A-Z]*_IMAGE\):-\([^}]*\)}.*$/\1=\2/p' compose.yaml
} | sort -u >.env.tags

if [ -e .env ]; then sed '/^[A-Z]*_IMAGE=/d' .env; fi >.env.new
while IFS='=' read -r name image; do
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
  case "$digest" in
    sha256:*) printf '%s=%s@%s\n' "$name" "$image" "$digest" ;;
    *) echo "$image: the registry answered no digest" >&2; exit 1 ;;
  esac
done <.env.tags >>.env.new

mv .env.new .env
cat .env
