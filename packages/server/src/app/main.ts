import { processSurroundings } from "../cli/surroundings/process-surroundings.ts";
import { runCommandLine } from "../cli/run-command-line.ts";
import { version } from "./version.ts";

// Nothing is left to run. While Node.js then takes itself down it no longer hears signals, so the one that npm passes on
// to a server that has just stopped would kill it.
process.once("beforeExit", (code) => process.exit(code));

process.exitCode = await runCommandLine(process.argv.slice(2), {
  ...processSurroundings(),
  version,
  // Most commands only talk to a server, so they do not load its code.
  startServer: async (...given) => (await import("./start-server.ts")).startServer(...given),
  migrateData: async (request) => (await import("./migrate-data.ts")).migrateData(request),
  openSchema: async () => (await import("./schema-keeper.ts")).schemaKeeper,
  openBackups: async () => (await import("./backup-keeper.ts")).backupKeeper,
});
