import { processSurroundings } from "../cli/process-surroundings.ts";
import { runCommandLine } from "../cli/run-command-line.ts";
import { startServer } from "./start-server.ts";
import { version } from "./version.ts";

process.exitCode = await runCommandLine(process.argv.slice(2), {
  ...processSurroundings(),
  version,
  startServer,
});
