import type { TestProject } from "vitest/node";
import { openDesk } from "../../src/platform/testing/open-desk.ts";
import { makeDataDir, operatorKey, startServerProcess } from "./server-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL that answers with the address of the server that all files of this run share. */
    readonly serverDesk: string;
  }
}

/** One server for a whole test run. `commonService` gives each file an account on it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const desk = await openDesk(async () => {
    const dataDir = await makeDataDir();
    const server = await startServerProcess({
      dataDir: dataDir.path,
      env: {
        POSTDATE_OPERATOR_KEY: operatorKey,
        // All files ask for tokens from one address.
        POSTDATE_TOKEN_REQUEST_LIMIT: "100000/1m",
      },
    });
    return {
      url: server.url,
      async stop() {
        await server.kill();
        await dataDir[Symbol.asyncDispose]();
      },
    };
  });
  project.provide("serverDesk", desk.url);
  return () => desk.close();
}
