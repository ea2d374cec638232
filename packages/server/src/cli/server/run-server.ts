import type { Settings } from "../../config/settings.ts";
import type { SignInLink } from "../../domain/session.ts";
import type { ProcessIdentity } from "../../platform/process-identity.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Notices } from "./notices.ts";
import type { RunningServer } from "../surroundings/running-server.ts";
import { startFailure } from "../failures/start-failure.ts";
import { awaitStopSignal } from "./stop-signals.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface RunServerOptions {
  readonly settings: Settings;
  readonly identity: ProcessIdentity;
  readonly notices: Notices;
  readonly surroundings: Surroundings;
  readonly signInLink?: SignInLink;
  readonly onStarted: (server: RunningServer) => Promise<void> | void;
}

/** Starts a server and returns when it has stopped: after a signal, by itself, or by a failure. */
export async function runServer(options: RunServerOptions): Promise<void> {
  const stop = awaitStopSignal(options.surroundings, options.notices.stopping);
  try {
    const server = await start(options);
    try {
      await options.onStarted(server);
      await failing(Promise.race([server.stopped, stop.requested]));
    } finally {
      await failing(server.stop());
    }
    await failing(server.stopped);
  } finally {
    stop.release();
  }
}

async function start({
  settings,
  identity,
  surroundings,
  signInLink,
}: RunServerOptions): Promise<RunningServer> {
  try {
    return await surroundings.startServer(settings, identity, signInLink);
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
