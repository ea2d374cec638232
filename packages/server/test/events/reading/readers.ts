import { afterEach, beforeEach, vi } from "vitest";
import { openStream } from "../../support/event-stream.ts";
import type { OpenedStream, StreamOptions, TestEvent } from "../../support/event-stream.ts";
import { patiently } from "../../support/shared-service.ts";
import type { ScriptedService } from "../../support/shared-service.ts";

/** What the suites about reading events need of a service on either store. */
export interface ReadingService extends ScriptedService {
  readonly endpointId: string;
  /** Opens a stream, and closes it after the test. */
  stream(options?: StreamOptions & { readonly endpointId?: string }): Promise<OpenedStream>;
  /** Makes something happen: the target has changed. Answers with its number. */
  happen(): Promise<number>;
  /** Reads by long poll. */
  read(
    query?: string,
  ): Promise<{ readonly events: readonly TestEvent[]; readonly nextPosition: string }>;
  /** The numbers that `happen` gave. */
  numbersIn(events: readonly TestEvent[]): number[];
}

/** An endpoint of each test's own, which is told of changes to one target. */
export function readingService(service: ScriptedService): ReadingService {
  let endpointId = "";
  let targetId = "";
  let changes = 0;
  let endpoints = 0;
  const opened: OpenedStream[] = [];

  beforeEach(async () => {
    targetId = (await service.target()).targetId;
    const body = { endpointId: `reads-${++endpoints}`, kind: "stream", targetIds: [targetId] };
    const made = await service.api("POST", "/v1/event-endpoints", { body });
    if (made.status !== 201) throw new Error(made.text);
    endpointId = made.body.endpointId;
  });
  afterEach(async () => {
    for (const stream of opened.splice(0)) await stream.close();
    await service.api("DELETE", `/v1/event-endpoints/${endpointId}`);
  });

  return Object.defineProperties(
    {
      get endpointId() {
        return endpointId;
      },
      async stream({ endpointId: chosen = endpointId, ...options } = {}) {
        const stream = await openStream(service.url, chosen, { key: service.key, ...options });
        opened.push(stream);
        return stream;
      },
      async happen() {
        const body = { maxConcurrency: ++changes };
        await service.ok("PATCH", `/v1/targets/${targetId}`, { body });
        return changes;
      },
      read: (query = "") => service.ok("GET", `/v1/event-endpoints/${endpointId}/events${query}`),
      numbersIn: (events) => events.map(({ data }) => data.target.maxConcurrency),
    } as ReadingService,
    Object.getOwnPropertyDescriptors(service),
  );
}

/** Waits until this many streams are open and calls wait. */
export function listenersAre(service: Pick<ScriptedService, "url">, count: number): Promise<void> {
  return vi.waitFor(async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const [, listening] = /^postdate_event_listeners (\d+)$/m.exec(text) ?? [];
    if (Number(listening) !== count) throw new Error(`${listening} listen, not ${count}`);
  }, patiently);
}
