import type { ToldEvents } from "./told-events.ts";

/** What happened to readers and webhooks. */
export interface ToldCounts {
  readonly events: number;
  /** Connections and calls of readers. */
  readonly readings: number;
  /** Those that began at a place that their reader had passed before. */
  readonly again: number;
  /** Requests to webhooks. */
  readonly requests: number;
  /** Events in requests that were in one before. */
  readonly repeats: number;
}

export function countTold({ logs, readers, webhooks }: ToldEvents): ToldCounts {
  const sent = webhooks.flatMap(({ endpointId, arrivals }) =>
    arrivals.flatMap(({ eventIds }) => eventIds.map((id) => `${endpointId} ${id}`)),
  );
  return {
    events: [...logs.values()].reduce((sum, log) => sum + log.length, 0),
    readings: readers.reduce((sum, { readings }) => sum + readings.length, 0),
    again: readers.reduce((sum, { readings }) => {
      let reached = 0;
      return (
        sum +
        readings.filter(({ after, told }) => {
          const isAgain = after < reached;
          reached = Math.max(reached, told.at(-1)?.position ?? after);
          return isAgain;
        }).length
      );
    }, 0),
    requests: webhooks.reduce((sum, { arrivals }) => sum + arrivals.length, 0),
    repeats: sent.length - new Set(sent).size,
  };
}

export function describeTold(told: ToldEvents): string {
  const { events, readings, again, requests, repeats } = countTold(told);
  return `${events} events, read over ${readings} connections (${again} from an earlier place) and sent in ${requests} requests (${repeats} events again)`;
}
