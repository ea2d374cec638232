import { createHash } from "crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "fs";
import { dirname, join } from "path";
import { fileURLToPath } from "url";

// Written in the syntax of old Node.js versions: it runs before the server says which one it needs.
var packages = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** Where the server looks for the built console. */
export var builtFolder = join(packages, "server/dist-console");
var stampFile = join(builtFolder, "sources");

var sources = ["console", "client/src", "../package-lock.json"];
var others = /^(?:node_modules|dist|test)$|\.test\.tsx?$/;

/** Changes whenever the console must be built again. */
export function sourceStamp() {
  var hash = createHash("sha256");
  sources.forEach(function (source) {
    add(join(packages, source), source, hash);
  });
  return hash.digest("hex");
}

/** The stamp of the sources that the console was built from; undefined without a built console. */
export function builtStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, "utf8") : undefined;
}

function add(path, name, hash) {
  if (!statSync(path).isDirectory()) {
    hash
      .update(name + "\0")
      .update(readFileSync(path))
      .update("\0");
    return;
  }
  readdirSync(path)
    .filter(function (entry) {
      return !others.test(entry);
    })
    // oxlint-disable-next-line unicorn/no-array-sort
    .sort()
    .forEach(function (entry) {
      add(join(path, entry), name + "/" + entry, hash);
    });
}
