import { isWanted } from "../../../src/domain/events/event-endpoint.ts";
import type { EventFilter } from "../../../src/domain/events/event-endpoint.ts";
import type { EventReader, EventWebhook } from "../../history/events/told-events.ts";
import {
  createEndpoint,
  everything,
  newEndpoint,
  newWebhook,
} from "../../../src/storage/conformance/events/event-harness.ts";
import type { ModelDatabase } from "../model-store/model-database.ts";
import type { OpenWorld } from "../world/open-world.ts";
import type { Scenario } from "../world/scenario.ts";
import { seededRandom } from "../world/seeded-random.ts";
import { SimulatedReader } from "./simulated-reader.ts";
import type { SimulatedWebhooks } from "./simulated-webhooks.ts";

export interface Listening {
  /** Whether everybody has got everything that is in the logs. */
  isOver(): boolean;
  /** Nothing more happens, and all faults have ended. */
  finish(): void;
  readonly readers: readonly EventReader[];
  readonly webhooks: readonly EventWebhook[];
  readonly bugs: readonly string[];
}

const hour = 3_600_000;
const endings: EventFilter = {
  ...everything,
  types: ["message.delivered", "message.cancelled", "message.dead_lettered"],
};
const hook = "hook";

/** Readers and a webhook of each account, who follow what is told until the end. */
export async function listenInWorld(
  { world, database, runs }: OpenWorld,
  scenario: Scenario,
  webhooks: SimulatedWebhooks,
): Promise<Listening> {
  const { time } = world;
  const random = seededRandom(`${scenario.seed}/listeners`);
  const accountIds = scenario.accounts.map(({ accountId }) => accountId);
  const since = await subscribe(database, accountIds);
  webhooks.mood = random.pick([0.3, 0.7, 0.95]);
  const readers = accountIds.flatMap((accountId) =>
    (["stream", "calls"] as const).flatMap((kind) =>
      [["all", everything] as const, ["ends", endings] as const].map(
        ([endpointId, filter]) =>
          new SimulatedReader({
            ...{ kind, accountId, endpointId, filter, time, runs },
            random: random.fork(`${accountId}/${kind}/${endpointId}`),
          }),
      ),
    ),
  );
  let isEnding = false;
  const logOf = (accountId: string) => database.snapshot().events.get(accountId) ?? [];
  const endOf = ({ seen: { accountId, filter } }: SimulatedReader): number | null =>
    isEnding
      ? (logOf(accountId).findLast((event) => isWanted(filter, event))?.position ?? 0)
      : null;
  for (const reader of readers) void reader.readUntil(() => endOf(reader));
  const arrivalsOf = (accountId: string) =>
    webhooks.arrivals.filter(({ endpointId }) => endpointId === `${hook}-${accountId}`);
  return {
    isOver: () =>
      readers.every((reader) => reader.reached >= endOf(reader)!) &&
      accountIds.every((accountId) => {
        const last = logOf(accountId).findLast((event) => isWanted(everything, event));
        return (
          last === undefined ||
          arrivalsOf(accountId).some(
            ({ takenAt, eventIds }) => takenAt !== null && eventIds.includes(last.eventId),
          )
        );
      }),
    finish() {
      webhooks.mood = 1;
      isEnding = true;
    },
    get readers() {
      return readers.map(({ seen }) => seen);
    },
    get webhooks() {
      return accountIds.map((accountId) => ({
        ...{ accountId, endpointId: `${hook}-${accountId}`, filter: everything },
        ...{ since: since.get(accountId)!, arrivals: arrivalsOf(accountId) },
      }));
    },
    get bugs() {
      return readers.flatMap(({ bugs }) => bugs);
    },
  };
}

/** Answers with where the webhooks begin. In every world there is an endpoint "all" already. */
async function subscribe(
  database: ModelDatabase,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const kept = { retentionMs: hour, idempotencyRetentionMs: hour };
  const store = database.open({ nodeId: "subscriber", leaseMs: null, ...kept });
  const since = new Map<string, number>();
  for (const accountId of accountIds) {
    await createEndpoint(store, newEndpoint("ends", { accountId, filter: endings }));
    const webhook = newWebhook(`${hook}-${accountId}`, { accountId, maxBatch: 7 });
    since.set(accountId, (await createEndpoint(store, webhook)).startPosition);
  }
  await store.close();
  return since;
}
