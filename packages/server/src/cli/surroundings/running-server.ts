import type { Settings } from "../../config/settings.ts";
import type { SignInLink } from "../../domain/session.ts";
import type { ProcessIdentity } from "../../platform/process-identity.ts";

/** A server for the command line: it has an address and can be stopped. */
export interface RunningServer {
  /** Where the server listens, with the actual port: `http://127.0.0.1:7070`. */
  readonly url: string;
  /** The root key, if this start made one. It is visible only now. */
  readonly generatedRootKey: string | null;
  /** Stops gracefully; resolves when everything is closed. */
  stop(): Promise<void>;
  /** Resolves when the server has stopped for any reason. Rejects on a fatal error. */
  readonly stopped: Promise<void>;
}

/** If the cause lies outside the program, rejects with a sentence that says what to do. */
export type ServerStarter = (
  settings: Settings,
  identity: ProcessIdentity,
  signInLink?: SignInLink,
) => Promise<RunningServer>;
