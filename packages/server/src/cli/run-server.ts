import type { Settings } from "../config/settings.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";
import type { RunningServer } from "./running-server.ts";
import { startFailure } from "./start-failure.ts";
import { awaitStopSignal } from "./stop-signals.ts";
import type { Surroundings } from "./surroundings.ts";

/** Starts a server, and returns once it has stopped: by a signal, by itself, or by failing. */
export async function runServer(
  settings: Settings,
  surroundings: Surroundings,
  onStarted: (server: RunningServer) => Promise<void> | void,
): Promise<void> {
  const stop = awaitStopSignal(surroundings);
  try {
    const server = await start(settings, surroundings);
    try {
      await onStarted(server);
      await failing(Promise.race([server.stopped, stop.requested]));
    } finally {
      await failing(server.stop());
    }
    await failing(server.stopped);
  } finally {
    stop.release();
  }
}

async function start(settings: Settings, { startServer }: Surroundings): Promise<RunningServer> {
  try {
    return await startServer(settings);
  } catch (error) {
    throw new CommandFailed(exitCodes.refused, startFailure(error, settings));
  }
}

async function failing(running: Promise<void>): Promise<void> {
  try {
    await running;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailed(exitCodes.refused, `The server failed: ${reason}`);
  }
}

export function readyLine(server: RunningServer): string {
  return `Postdate is ready on ${server.url}\n`;
}
