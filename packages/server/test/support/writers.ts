import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "./api.ts";
import type { Event, FinalState } from "./history.ts";

/** Callers that never stop asking: schedule, sometimes move, sometimes cancel, and note every answer. */
export interface Writers {
  readonly events: readonly Event[];
  stop(): Promise<void>;
}

/** Each writer asks whichever node `pick` gives it next. */
export function startWriters(count: number, pick: () => Api): Writers {
  const events: Event[] = [];
  const stopped = new AbortController();
  const api: Api = (method, path, options) => pick()(method, path, options);
  const writing = Array.from({ length: count }, (_, index) =>
    write(api, `writer-${index}`, events, stopped.signal),
  );
  return {
    events,
    async stop() {
      stopped.abort();
      await Promise.all(writing);
    },
  };
}

/** What became of every message that was acknowledged. */
export async function finalStates(
  api: Api,
  events: readonly Event[],
): Promise<Map<string, FinalState | undefined>> {
  const final = new Map<string, FinalState | undefined>();
  for (const messageId of new Set(events.flatMap((event) => event.messageId ?? []))) {
    final.set(messageId, await finalState(api, messageId));
  }
  return final;
}

async function write(api: Api, name: string, events: Event[], stop: AbortSignal): Promise<void> {
  for (let count = 0; !stop.aborted; count++) {
    const key = `${name}-${count}`;
    const dueAt = Date.now() + Math.floor(Math.random() * 800);
    const messageId = await scheduleUntilKnown(api, key, dueAt, events);
    if (Math.random() < 0.2) {
      const movedTo = Date.now() + Math.floor(Math.random() * 800);
      await note("reschedule", movedTo, `/v1/messages/${messageId}/reschedule`, {
        deliveryTime: new Date(movedTo).toISOString(),
      });
    }
    if (Math.random() < 0.4) await note("cancel", dueAt, `/v1/messages/${messageId}/cancel`);

    async function note(
      verb: "cancel" | "reschedule",
      due: number,
      path: string,
      body?: unknown,
    ): Promise<void> {
      const askedAt = Date.now();
      const answer = await api("POST", path, { body }).then(
        ({ status }) => (status === 200 ? "ok" : status < 500 ? "refused" : "unknown"),
        () => "unknown" as const,
      );
      events.push({ verb, key, messageId, dueAt: due, askedAt, answeredAt: Date.now(), answer });
    }
  }
}

/** A lost answer is asked for again, with the same key, until it comes. */
async function scheduleUntilKnown(
  api: Api,
  key: string,
  dueAt: number,
  events: Event[],
): Promise<string> {
  for (;;) {
    const askedAt = Date.now();
    const common = { verb: "schedule", key, dueAt, askedAt } as const;
    try {
      const { status, body } = await api("POST", "/v1/messages", {
        body: { targetId: "t", deliveryTime: new Date(dueAt).toISOString(), payload: key },
        headers: { "idempotency-key": key },
      });
      if (status === 200) {
        const messageId = body.messageId as string;
        events.push({ ...common, messageId, answeredAt: Date.now(), answer: "ok" });
        return messageId;
      }
    } catch {
      await sleep(20);
    }
    events.push({ ...common, messageId: null, answeredAt: Date.now(), answer: "unknown" });
  }
}

async function finalState(api: Api, messageId: string): Promise<FinalState | undefined> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { status, body } = await api("GET", `/v1/messages/${messageId}`);
    if (status === 404) return undefined;
    if (body.state !== "SCHEDULED" || Date.now() > deadline) {
      const attempts = await api("GET", `/v1/messages/${messageId}/attempts`);
      const { state, deliveryFailureCount } = body;
      const failed = attempts.body.attempts.filter(
        ({ outcome }: { outcome: string }) => outcome !== "DELIVERED",
      );
      return { state, deliveryFailureCount, failedAttempts: failed.length };
    }
    await sleep(20);
  }
}
