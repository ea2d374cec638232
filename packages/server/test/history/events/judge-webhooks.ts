import type { EventArrival } from "./told-events.ts";

export interface JudgedWebhook {
  readonly endpointId: string;
  /** The ids of the events that it must get, in the order of the log. */
  readonly wanted: readonly string[];
  readonly arrivals: readonly EventArrival[];
}

/** Which promises to a webhook a run has broken. */
export function judgeWebhook(webhook: JudgedWebhook): string[] {
  return [...strangers(webhook), ...disorder(webhook), ...overlaps(webhook)];
}

function strangers({ endpointId, wanted, arrivals }: JudgedWebhook): string[] {
  const known = new Set(wanted);
  return arrivals
    .flatMap(({ eventIds }) => eventIds)
    .filter((eventId) => !known.has(eventId))
    .map((eventId) => `${endpointId} got ${eventId}, which is not for it`);
}

/** An event goes out only after all before it were taken, and at the end all are. */
function disorder({ endpointId, wanted, arrivals }: JudgedWebhook): string[] {
  const takenAt = new Map<string, number>();
  const sentAt = new Map<string, number>();
  const earliest = (times: Map<string, number>, eventId: string, at: number): void =>
    void times.set(eventId, Math.min(at, times.get(eventId) ?? Infinity));
  const togetherWith = new Map<string, ReadonlySet<string>>();
  const placeOf = new Map(wanted.map((eventId, place) => [eventId, place]));
  for (const { eventIds, startedAt, takenAt: taken } of arrivals) {
    for (const eventId of eventIds) {
      if (startedAt < (sentAt.get(eventId) ?? Infinity))
        togetherWith.set(eventId, new Set(eventIds));
      earliest(sentAt, eventId, startedAt);
      if (taken !== null) earliest(takenAt, eventId, taken);
    }
    const sorted = eventIds.map((eventId) => placeOf.get(eventId) ?? -1);
    if (sorted.some((place, index) => index > 0 && place <= sorted[index - 1]!)) {
      return [`${endpointId} got a request in disorder: ${sorted.join(" ")}`];
    }
  }
  const problems: string[] = [];
  for (const [place, eventId] of wanted.entries()) {
    if (!takenAt.has(eventId)) problems.push(`${endpointId} never took ${eventId}`);
    const before = place === 0 ? undefined : wanted[place - 1]!;
    if (before === undefined || togetherWith.get(eventId)?.has(before)) continue;
    if ((takenAt.get(before) ?? Infinity) > (sentAt.get(eventId) ?? Infinity)) {
      problems.push(`${endpointId} was sent ${eventId} before it had taken ${before}`);
    }
  }
  return problems;
}

/** A node makes one request at a time for an endpoint. */
function overlaps({ endpointId, arrivals }: JudgedWebhook): string[] {
  const sent = arrivals.filter(({ nodeId }) => nodeId !== null);
  return sent.flatMap((arrival, index) =>
    sent
      .slice(0, index)
      .filter(({ nodeId, endedAt }) => nodeId === arrival.nodeId && endedAt > arrival.startedAt)
      .map(({ nodeId }) => `${nodeId} made two requests at once for ${endpointId}`),
  );
}
