#!/usr/bin/env node
// Written in the syntax of old Node.js versions, so that they get as far as the message below.
import { existsSync } from "fs";
import * as module from "module";

var needed = 24;
var found = process.versions.node;

if (parseInt(found, 10) < needed) {
  process.stderr.write(
    "Postdate needs Node.js " +
      needed +
      " or later; this is " +
      found +
      ".\n" +
      "Install a newer one from https://nodejs.org. In a checkout of the source on Linux or Windows\n" +
      "(x64, on Linux arm64 too), npm brings its own: npm ci, then npm start, npm run dev or npx postdate.\n",
  );
  process.exit(1);
}

// Looking up the name of a target holds a thread for as long as the name's servers like. Read when
// the pool is first used, so this must come before everything else.
if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = "32";

hideWarningsAbout(/SQLite|Type Stripping/i);

// Compiled code is kept between starts: a command begins in half the time.
if (module.enableCompileCache) module.enableCompileCache();

// A checkout has the source, a published package only what was built from it.
var source = new URL("../src/app/main.ts", import.meta.url);
var built = new URL("../dist/app/main.js", import.meta.url);
void import(existsSync(source) ? source.href : built.href);

// Some releases of Node.js 24 still call these two features experimental. Every other warning stays.
function hideWarningsAbout(features) {
  var emitWarning = process.emitWarning;
  process.emitWarning = function (warning, options) {
    var type = options !== null && typeof options === "object" ? options.type : options;
    var isExperimental =
      type === "ExperimentalWarning" || (warning && warning.name) === "ExperimentalWarning";
    if (isExperimental && features.test(String((warning && warning.message) || warning))) return;
    emitWarning.apply(process, arguments);
  };
}
