import type { Logger } from "pino";
import type { Operations } from "../operations/operations.ts";
import type { Random } from "../platform/random.ts";
import type { Authenticator } from "./authenticate.ts";

export interface HttpOptions {
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly random: Random;
  readonly readiness: () => Promise<{
    readonly ready: boolean;
    readonly reasons: readonly string[];
  }>;
  readonly metricsText: () => Promise<{ readonly contentType: string; readonly body: string }>;
  readonly version: string;
  /** False on a node that only delivers: it has its health and metrics to show, and nothing else. */
  readonly answersCallers: boolean;
  readonly bodyLimits?: BodyLimits;
}

/** In bytes. The longest legal payload must fit however it is escaped: 12 bytes a character. */
export interface BodyLimits {
  readonly single: number;
  readonly batch: number;
}

export const defaultBodyLimits: BodyLimits = { single: 1_048_576, batch: 16 * 1_048_576 };
