#!/usr/bin/env node
// Written in the syntax of old Node.js versions, so that they reach the message below.
import { existsSync } from "fs";
import * as module from "module";
import { restartLean } from "./restart-lean.js";

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

restartLean();

// Looking up the name of a target blocks a thread until the name's servers answer. The pool reads this
// variable when it is first used, so it must be set before everything else.
if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = "32";

hideWarningsAbout(/SQLite|Type Stripping/i);

// Node.js keeps compiled code between starts, so a command begins in half the time. The store's threads
// look for it where this variable says.
if (module.enableCompileCache && !process.env.NODE_COMPILE_CACHE) {
  var cacheDirectory = module.enableCompileCache().directory;
  if (cacheDirectory) process.env.NODE_COMPILE_CACHE = cacheDirectory;
}

// A checkout has the source. A published package has only what was built from it.
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
