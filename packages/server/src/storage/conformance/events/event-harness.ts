import { subjectOf } from "../../../domain/events/event.ts";
import type { LoggedEvent } from "../../../domain/events/event.ts";
import type {
  EndpointChange,
  EventEndpoint,
  EventFilter,
  NewEventEndpoint,
} from "../../../domain/events/event-endpoint.ts";
import type { EventType } from "../../../domain/events/event-types.ts";
import type { Store } from "../../store.ts";
import { account, note } from "../harness.ts";
import { scheduleWorldsOf } from "../schedules/schedule-harness.ts";
import type { MakeClockedLocation } from "../schedules/schedule-harness.ts";

/** Every type, also the busiest. */
export const everything: EventFilter = {
  types: ["message.*", "target.*", "schedule.*", "job.*", "endpoint.*"],
  targetIds: null,
  labels: null,
};

export function newEndpoint(
  endpointId: string,
  {
    filter,
    ...change
  }: Partial<Omit<NewEventEndpoint, "filter">> & {
    readonly filter?: Partial<EventFilter>;
  } = {},
): NewEventEndpoint {
  return {
    accountId: account,
    endpointId,
    kind: "stream",
    filter: { ...everything, ...filter },
    sealedSettings: null,
    sealedSecrets: null,
    maxBatch: 1,
    ...change,
  };
}

export function newWebhook(
  endpointId: string,
  change: Parameters<typeof newEndpoint>[1] = {},
): NewEventEndpoint {
  const sealed = { sealedSettings: "an address", sealedSecrets: "a secret" };
  return newEndpoint(endpointId, { kind: "webhook", ...sealed, maxBatch: 100, ...change });
}

export const endpointRef = (endpointId: string, accountId = account) => ({ accountId, endpointId });

const endpointNote = (subjectId: string) => note({ action: "event-endpoint.updated", subjectId });

export async function createEndpoint(
  store: Store,
  endpoint: NewEventEndpoint,
): Promise<EventEndpoint> {
  const result = await store.createEndpoint(endpoint, endpointNote(endpoint.endpointId));
  if (result.kind !== "created") throw new Error(`endpoint ${endpoint.endpointId}: ${result.kind}`);
  return result.endpoint;
}

export async function changeEndpoint(
  store: Store,
  endpointId: string,
  change: EndpointChange,
): Promise<EventEndpoint> {
  const ref = endpointRef(endpointId);
  const result = await store.updateEndpoint(ref, change, null, endpointNote(endpointId));
  if (result.kind !== "updated") throw new Error(`endpoint ${endpointId}: ${result.kind}`);
  return result.endpoint;
}

export function removeEndpoint(store: Store, endpointId: string, accountId = account) {
  return store.removeEndpoint(endpointRef(endpointId, accountId), endpointNote(endpointId));
}

/** A store that collects events apart from the logs moves them until none is left. */
export async function moveAll(store: Store): Promise<void> {
  while ((await store.moveEvents(1_000)).moved > 0);
}

/** Everything that is left in the log of an account. */
export async function logOf(store: Store, accountId = account): Promise<LoggedEvent[]> {
  await moveAll(store);
  const events: LoggedEvent[] = [];
  for (let after = 0; ;) {
    const page = await store.readEvents(accountId, { after, limit: 7 });
    if (page === undefined) throw new Error(`there is no account ${accountId}`);
    events.push(...page.events);
    const last = page.events.at(-1);
    if (last === undefined) return events;
    after = last.position;
  }
}

/** The types of what is told about one message, target, schedule, job or endpoint, in their order. */
export function typesAbout(events: readonly LoggedEvent[], id: string): EventType[] {
  return events.filter(({ data }) => subjectOf(data).split("/")[1] === id).map(({ type }) => type);
}

export async function toldAbout(store: Store, id: string, accountId = account) {
  return typesAbout(await logOf(store, accountId), id);
}

/** Worlds with a clock that stands still, with an endpoint "all" that is told everything. */
export function eventWorldsOf(makeLocation: MakeClockedLocation) {
  const open = scheduleWorldsOf(makeLocation);
  return async (options: Parameters<typeof open>[0] & { readonly isSilent?: true } = {}) => {
    const { isSilent, ...others } = options;
    const world = await open(others);
    if (!isSilent) await createEndpoint(world.store, newEndpoint("all"));
    return world;
  };
}
