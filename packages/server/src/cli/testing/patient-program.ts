import { runCommandLine } from "../run-command-line.ts";
import { processSurroundings } from "../surroundings/process-surroundings.ts";

/** The program as a process, without servers and stores. It has all the time in the world. */
const surroundings = processSurroundings();
const notHere = (): Promise<never> => Promise.reject(new Error("this program only calls services"));
process.exitCode = await runCommandLine(process.argv.slice(2), {
  ...surroundings,
  version: "1.2.3",
  startServer: notHere,
  migrateData: notHere,
  openSchema: notHere,
  openBackups: notHere,
  timers: { after: () => ({ cancel: () => {} }) },
});
