import { spawnSync } from "child_process";
import { fileURLToPath } from "url";
import { builtStamp, sourceStamp } from "./source-stamp.js";

// `npm start` and `npm run dev` run this first. The server starts whatever happens here: it is of use without a console.
// With `--or-fail`, for packing and for tests, a console that cannot be built is a failure.
var failure = builtStamp() === sourceStamp() ? undefined : buildIt();
if (failure !== undefined) {
  say(failure);
  if (process.argv.includes("--or-fail")) process.exitCode = 1;
}

/** What went wrong; undefined if nothing did. */
function buildIt() {
  say("Building the console, because its sources changed. This takes some seconds.");
  var program = fileURLToPath(new URL("./build-console.ts", import.meta.url));
  var result = spawnSync(process.execPath, [program], { stdio: ["ignore", 2, 2] });
  if (result.error) return "The console was not built: " + result.error.message;
  return result.status === 0 ? undefined : "The console could not be built.";
}

function say(line) {
  process.stderr.write(line + "\n");
}
