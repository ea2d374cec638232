import { setTimeout as sleep } from "node:timers/promises";
import type { Asked } from "../../history/history.ts";
import type { Api } from "../../support/api.ts";
import { loggedCalls } from "../../support/logged-calls.ts";
import type { LoggedCalls } from "../../support/logged-calls.ts";

/** Callers that schedule, get, reschedule, cancel and list without a pause, and log every answer. */
export interface Writers {
  readonly asked: readonly Asked[];
  stop(): Promise<void>;
}

export interface WritersOptions {
  /** Whether they also get single messages and walk the list. */
  readonly reads?: boolean;
}

/** Each writer calls the node that `pick` returns next. All messages are for the target `t`. */
export function startWriters(
  count: number,
  pick: () => Api,
  { reads = true }: WritersOptions = {},
): Writers {
  const asked: Asked[] = [];
  const stopped = new AbortController();
  const api: Api = (method, path, options) => pick()(method, path, options);
  const writing = Array.from({ length: count }, (_, index) => {
    const name = `writer-${index}`;
    return write(loggedCalls(api, name, asked), name, reads, stopped.signal);
  });
  if (reads) writing.push(walk(loggedCalls(api, "walker", asked), asked, stopped.signal));
  return {
    asked,
    async stop() {
      stopped.abort();
      await Promise.all(writing);
    },
  };
}

async function write(
  calls: LoggedCalls,
  name: string,
  reads: boolean,
  stop: AbortSignal,
): Promise<void> {
  for (let count = 0; !stop.aborted; count++) {
    const messageId = await scheduleUntilKnown(calls, `${name}-${count}`, soon());
    if (reads && Math.random() < 0.2) await calls.get(messageId);
    if (Math.random() < 0.2) await calls.reschedule(messageId, soon());
    if (Math.random() < 0.4) await calls.cancel(messageId);
    if (reads && Math.random() < 0.2) await calls.get(messageId);
    if (Math.random() < 0.05) await calls.reschedule(messageId, soon());
  }
}

const soon = (): number => Date.now() + Math.floor(Math.random() * 800);

/** Repeats a call whose answer was lost, with the same key, until an answer comes. */
async function scheduleUntilKnown(calls: LoggedCalls, key: string, dueAt: number): Promise<string> {
  for (;;) {
    const { answer } = await calls.schedule(key, "t", dueAt);
    if (answer.kind === "ok") return answer.message.messageId;
    await sleep(50);
  }
}

/** Makes one walk after the other. It repeats a page whose answer was lost, and logs only the answer. */
async function walk(calls: LoggedCalls, log: Asked[], stop: AbortSignal): Promise<void> {
  for (let count = 0; !stop.aborted; count++) {
    let pageToken: string | null = null;
    do {
      const { asked, nextPageToken } = await calls.page(`walk-${count}`, "t", pageToken);
      if (asked.answer.kind === "ok") {
        log.push(asked);
        pageToken = nextPageToken;
      } else await sleep(50);
      if (asked.answer.kind === "refused") break;
    } while (pageToken !== null && !stop.aborted);
    await sleep(50);
  }
}
