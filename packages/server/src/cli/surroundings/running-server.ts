import type { Settings } from "../../config/settings.ts";
import type { ProcessIdentity } from "../../platform/process-identity.ts";

/** A server as the command line sees it: something with an address that can be stopped. */
export interface RunningServer {
  /** Where it listens, with the port it really got: `http://127.0.0.1:7070`. */
  readonly url: string;
  /** The root key, where this start made one: the only time anybody can see it. */
  readonly generatedRootKey: string | null;
  /** Stops gracefully; resolves when everything is closed. */
  stop(): Promise<void>;
  /** Resolves when it has stopped, whatever the reason; rejects on a fatal error. */
  readonly stopped: Promise<void>;
}

/** Rejects with a sentence that says what to do where the reason lies outside the program. */
export type ServerStarter = (
  settings: Settings,
  identity: ProcessIdentity,
) => Promise<RunningServer>;
