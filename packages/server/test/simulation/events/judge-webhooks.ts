import type { EventArrival } from "./simulated-webhooks.ts";

export interface JudgedWebhook {
  readonly endpointId: string;
  /** The ids of the events that it must get, in the order of the log. */
  readonly wanted: readonly string[];
}

/** Which promises to webhooks a run has broken. */
export function judgeWebhooks(
  webhooks: readonly JudgedWebhook[],
  arrivals: readonly EventArrival[],
): string[] {
  return webhooks.flatMap((webhook) => {
    const own = arrivals.filter(({ endpointId }) => endpointId === webhook.endpointId);
    return [...strangers(webhook, own), ...disorder(webhook, own), ...overlaps(webhook, own)];
  });
}

function strangers({ endpointId, wanted }: JudgedWebhook, arrivals: readonly EventArrival[]) {
  const known = new Set(wanted);
  return arrivals
    .flatMap(({ eventIds }) => eventIds)
    .filter((eventId) => !known.has(eventId))
    .map((eventId) => `${endpointId} got ${eventId}, which is not for it`);
}

/** An event goes out only after all before it were taken, and at the end all are. */
function disorder({ endpointId, wanted }: JudgedWebhook, arrivals: readonly EventArrival[]) {
  const takenAt = new Map<string, number>();
  const sentAt = new Map<string, number>();
  const earliest = (times: Map<string, number>, eventId: string, at: number): void =>
    void times.set(eventId, Math.min(at, times.get(eventId) ?? Infinity));
  const togetherWith = new Map<string, ReadonlySet<string>>();
  for (const { eventIds, startedAt, takenAt: taken } of arrivals) {
    for (const eventId of eventIds) {
      if (startedAt < (sentAt.get(eventId) ?? Infinity))
        togetherWith.set(eventId, new Set(eventIds));
      earliest(sentAt, eventId, startedAt);
      if (taken !== null) earliest(takenAt, eventId, taken);
    }
    const sorted = eventIds.map((eventId) => wanted.indexOf(eventId));
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
function overlaps({ endpointId }: JudgedWebhook, arrivals: readonly EventArrival[]) {
  return arrivals.flatMap((arrival, index) =>
    arrivals
      .slice(0, index)
      .filter(({ nodeId, endedAt }) => nodeId === arrival.nodeId && endedAt > arrival.startedAt)
      .map(({ nodeId }) => `${nodeId} made two requests at once for ${endpointId}`),
  );
}
