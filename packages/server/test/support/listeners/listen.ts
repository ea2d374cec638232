import { defaultAccountId } from "../../../src/domain/access.ts";
import { isWanted } from "../../../src/domain/events/event-endpoint.ts";
import type { EventFilter } from "../../../src/domain/events/event-endpoint.ts";
import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import { positionText } from "../../../src/domain/events/position-text.ts";
import type { FailingAfter } from "../../../src/domain/failing-after.ts";
import type { ToldEvents } from "../../history/events/told-events.ts";
import { Chance } from "../../history/support/chance.ts";
import type { Api } from "../api.ts";
import type { LooksIntoStore } from "./look-into-store.ts";
import { readEvent } from "./read-event.ts";
import { Reader } from "./reader.ts";
import { startWebhookListener } from "./webhook-listener.ts";

export interface ListenOptions {
  /** Of a node that answers now. */
  readonly api: Api;
  /** The address of a node that runs. */
  readonly pick: () => string;
  readonly store: LooksIntoStore;
  readonly chance?: Chance;
}

export interface Listeners extends AsyncDisposable {
  /** Resolves when nobody listens. The changes of the time until the resume are told later. */
  pause(): Promise<void>;
  resume(): void;
  /** Everybody reads to the end. Nothing may happen any more, and `api` must answer. */
  end(api: Api, failingAfter?: ReadonlyMap<string, FailingAfter>): Promise<ToldEvents>;
}

const accountId = defaultAccountId;
const types = ["message.*", "target.*"];
const everything: EventFilter = { types, targetIds: null, labels: null };
const endings: EventFilter = {
  ...everything,
  types: ["message.delivered", "message.cancelled", "message.dead_lettered"],
};

/**
 * Subscribes to everything in the account, and has readers and a webhook follow until the end: streams and calls that
 * connect again and again, to any node, and now and then from an earlier place.
 */
export async function listen({
  api,
  pick,
  store,
  chance = new Chance(Math.floor(Math.random() * 2 ** 32)),
}: ListenOptions): Promise<Listeners> {
  await using started = new AsyncDisposableStack();
  const webhook = started.use(await startWebhookListener("sent", chance));
  const before = await store.look();
  const maxBatch = chance.between(1, 20);
  await subscribe(api, { endpointId: "all", kind: "stream", types });
  await subscribe(api, { endpointId: "ends", kind: "stream", types: endings.types });
  await subscribe(api, { endpointId: "sent", kind: "webhook", types, maxBatch, url: webhook.url });
  const reader = (kind: "stream" | "calls", endpointId: string, filter: EventFilter): Reader => {
    const name = `the reader of ${endpointId} by ${kind}`;
    const own = new Chance(chance.between(0, 2 ** 31));
    return new Reader(kind, { name, accountId, endpointId, filter, pick, chance: own });
  };
  const readers = [
    reader("stream", "all", everything),
    reader("stream", "all", everything),
    reader("calls", "all", everything),
    reader("calls", "ends", endings),
    reader("stream", "ends", endings),
  ];
  const owned = started.move();
  return {
    async pause() {
      webhook.pause();
      await Promise.all(readers.map((each) => each.pause()));
    },
    resume() {
      webhook.resume();
      for (const each of readers) each.resume();
    },
    async end(finalApi, failingAfter = new Map()) {
      await store.whenTold();
      const log = await readLog(finalApi);
      const lastOf = (filter: EventFilter): number =>
        log.findLast((event) => isWanted(filter, event))?.position ?? 0;
      const [read] = await Promise.all([
        Promise.all(readers.map((each) => each.end(lastOf(each.filter)))),
        webhook.whenTaken(log.map(({ eventId }) => eventId)),
      ]);
      const { versions, revisions } = await store.look();
      return {
        logs: new Map([[accountId, log]]),
        versions,
        targetChanges: new Map(
          [...revisions].map(([name, count]) => [name, count - (before.revisions.get(name) ?? 0)]),
        ),
        readers: read,
        webhooks: [
          {
            accountId,
            endpointId: "sent",
            filter: everything,
            since: 0,
            arrivals: webhook.arrivals,
          },
        ],
        failingAfter,
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function subscribe(api: Api, body: object): Promise<void> {
  const { status, text } = await api("POST", "/v1/event-endpoints", { body });
  if (status !== 201) throw new Error(`no endpoint: ${status} ${text}`);
}

/** From the beginning to the end, page by page. */
async function readLog(api: Api): Promise<LoggedEvent[]> {
  const log: LoggedEvent[] = [];
  for (let after = positionText({ position: 0, mark: null }); ;) {
    const path = `/v1/event-endpoints/all/events?after=${after}&limit=1000`;
    const { status, text, body } = await api("GET", path);
    if (status !== 200) throw new Error(`no log: ${status} ${text}`);
    if (body.events.length === 0) return log;
    log.push(...body.events.map(readEvent));
    after = body.nextPosition;
  }
}
