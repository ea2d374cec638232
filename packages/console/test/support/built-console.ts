import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { askDesk, openDesk } from "../../../server/src/platform/testing/open-desk.ts";
import { builtFolder } from "../../build/source-stamp.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL that answers once the console of this checkout is built. */
    readonly consoleDesk: string;
  }
}

const program = join(import.meta.dirname, "../../build/build-if-changed.js");

/** One build for a whole test run, when the first file asks for it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const desk = await openDesk(async () => {
    await promisify(execFile)(process.execPath, [program, "--or-fail"]);
    return { url: builtFolder, stop: async () => {} };
  });
  project.provide("consoleDesk", desk.url);
  return () => desk.close();
}

/** The folder of the built console. */
export async function builtConsole(): Promise<string> {
  return askDesk(inject("consoleDesk"));
}
