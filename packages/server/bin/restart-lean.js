// Written in the syntax of old Node.js versions, as bin/postdate.js is, which imports it.
import * as os from "os";

var smallMemory = 1024 * 1024 * 1024;

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

function leanFlags() {
  return [
    // Where there is much memory, the young generation would grow to over a hundred megabytes in each
    // thread, which makes nothing faster here.
    "--max-semi-space-size=" + (memoryBytes() > smallMemory ? 8 : 4),
    // Between two collections the old generation grows by half, not to four times what is in use.
    "--heap-growing-percent=50",
    // For a collection after load (platform/memory-at-rest.ts).
    "--expose-gc",
  ];
}

/** Of the machine, or less where the process may not have all of it, as in a container. */
function memoryBytes() {
  var allowed = process.constrainedMemory ? process.constrainedMemory() : 0;
  return allowed > 0 ? Math.min(allowed, os.totalmem()) : os.totalmem();
}
