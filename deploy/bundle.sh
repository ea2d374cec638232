#!/bin/sh
# Writes postdate-VERSION-linux-ARCH.tar.gz into the current folder: the program, what it needs in the versions of the
# lockfile, and the Node.js that it was tested with. A machine that runs it needs nothing else:
#   sudo tar -xzf postdate-*.tar.gz -C /opt          makes /opt/postdate
#
# Needs npm, on a Linux machine with the same processor.
set -eu
out=$PWD
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -d node_modules/rolldown ] || npm ci --no-audit --no-fund
arch=$(node -p process.arch)
node=node_modules/node-linux-$arch/bin/node
[ -x "$node" ] || { echo "npm has brought no Node.js for linux-$arch: $node is not there" >&2; exit 1; }
version=$("$node" -p 'require("./packages/server/package.json").version')

npm pack --silent --workspace postdate --pack-destination "$work" >/dev/null
for manifest in package.json package-lock.json packages/*/package.json; do
  install -D -m 644 "$manifest" "$work/source/$manifest"
done
bundle=$work/bundle/postdate
mkdir -p "$bundle/bin"
(cd "$work/source" && npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --workspace postdate)
# The workspaces themselves are links; the packed package takes their place.
find "$work/source/node_modules" -type l -delete
find "$work/source/node_modules" -type d -empty -delete
rm -rf "$work/source/node_modules/.bin" "$work/source/node_modules/.package-lock.json"
mv "$work/source/node_modules" "$bundle/node_modules"
mkdir "$bundle/node_modules/postdate"
tar -xzf "$work"/postdate-*.tgz -C "$bundle/node_modules/postdate" --strip-components=1
install -m 755 "$node" "$bundle/bin/node"
cat >"$bundle/bin/postdate" <<'COMMAND'
#!/bin/sh
# The command, with the Node.js beside it.
folder=$(dirname "$(readlink -f "$0")")
exec "$folder/node" "$folder/../node_modules/postdate/bin/postdate.js" "$@"
COMMAND
chmod 755 "$bundle/bin/postdate"
# For the lists of what is installed.
"$node" deploy/sbom.js packages/server >"$bundle/sbom.cdx.json"

file=$out/postdate-$version-linux-$arch.tar.gz
tar -C "$work/bundle" --owner=0 --group=0 -czf "$file" postdate
echo "$file"
