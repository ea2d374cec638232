import type { FastifyInstance } from "fastify";
import type { Settings } from "../config/settings.ts";
import { listenOnEveryAddress } from "../http/load/further-listeners.ts";
import type { RunningPart } from "../platform/running-parts.ts";
import type { Timers } from "../platform/timers.ts";

export interface HttpPartOptions {
  readonly http: FastifyInstance;
  readonly settings: Pick<Settings, "host" | "port">;
  readonly timers: Timers;
  /** Ends what waits on behalf of a request. */
  readonly stopping: AbortController;
}

const slowestCloseMs = 2_000;

export function createHttpPart({ http, settings, timers, stopping }: HttpPartOptions): RunningPart {
  return {
    start: () => listenOnEveryAddress(http, settings),

    /** Lets requests under way end for a moment; a client that stalls must not keep the process. */
    async stop() {
      stopping.abort();
      const timer = timers.after(slowestCloseMs, () => http.server.closeAllConnections());
      await http.close();
      timer.cancel();
    },
  };
}
