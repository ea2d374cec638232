// Written in the syntax of old Node.js versions, as bin/postdate.js is, which imports it.
import * as os from "os";

var gibibyte = 1024 * 1024 * 1024;

/**
 * Lets a server keep its memory small. V8 reads these flags only when a process begins, so the process
 * replaces itself: its id, its parent and its open files stay. Whoever sets the size of the young
 * generation, with a flag or in NODE_OPTIONS, keeps what was set. Windows cannot replace a process.
 */
export function restartLean() {
  var command = process.argv[2];
  if (command !== "serve" && command !== "dev") return;
  var given = process.execArgv.concat(process.env.NODE_OPTIONS || "").join(" ");
  if (/--max[-_]semi[-_]space[-_]size/.test(given)) return;
  // A parent that speaks to this process through Node.js's own channel would lose it.
  if (!process.execve || process.send) return;
  process.execve(
    process.execPath,
    [process.argv0].concat(leanFlags(), process.execArgv, process.argv.slice(1)),
    // The C library gives threads areas of their own to allocate from, and keeps in each what was freed.
    Object.assign({ MALLOC_ARENA_MAX: "2" }, process.env),
  );
}

/** Batches are a quarter faster with the memory of a large machine than with that of a small one. */
function leanFlags() {
  var bytes = memoryBytes();
  // For a collection after load (platform/memory-at-rest.ts).
  var flags = ["--expose-gc"];
  // Otherwise the young generation of each thread may grow to over a hundred megabytes.
  if (bytes > 4 * gibibyte) return flags.concat("--max-semi-space-size=16");
  // Between two collections the old generation grows by half, not to four times what is in use.
  flags.push("--heap-growing-percent=50");
  return flags.concat("--max-semi-space-size=" + (bytes > gibibyte ? 8 : 4));
}

/** Of the machine, or less where the process may not have all of it, as in a container. */
function memoryBytes() {
  var allowed = process.constrainedMemory ? process.constrainedMemory() : 0;
  return allowed > 0 ? Math.min(allowed, os.totalmem()) : os.totalmem();
}
