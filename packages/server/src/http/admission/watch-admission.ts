import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { RefuseNow } from "./guards.ts";

export interface AdmissionWatchOptions {
  readonly refuseNow: RefuseNow;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
}

/** How often the server looks whether the credential of a request that takes long is still good. */
const admittedEveryMs = 2_000;
/** The request ends if that cannot be found out for so long. */
const longestRelianceMs = 10_000;

/** Calls back once when the caller of a request that takes long would no longer be let in. Close it when the request ends. */
export function watchAdmission(
  { refuseNow, clock, timers }: AdmissionWatchOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  onEnded: () => void,
): { close(): void } {
  let timer: Timer | undefined;
  let isClosed = false;
  let admittedAt = clock.monotonic();

  const lookLater = (): void => {
    timer = timers.after(admittedEveryMs, () => void look());
  };
  const look = async (): Promise<void> => {
    let isAdmitted = true;
    try {
      isAdmitted = (await refuseNow(request, reply)) === undefined;
      admittedAt = clock.monotonic();
    } catch {
      // The store does not answer. It may soon.
      isAdmitted = clock.monotonic() - admittedAt <= longestRelianceMs;
    }
    if (isClosed) return;
    if (isAdmitted) lookLater();
    else onEnded();
  };

  lookLater();
  return {
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
