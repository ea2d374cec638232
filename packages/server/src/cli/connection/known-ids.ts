import type { Postdate } from "@postdate/client";
import { CommandFailed } from "../failures/exit-codes.ts";
import type { Service } from "./service.ts";

/** Suggestions come from at most this many names. */
const mostNames = 1_000;

/**
 * The ids of up to a thousand targets. After a failure, or at the signal, those that were read so far:
 * none if the key may not read targets.
 */
export function targetIds(service: Service, signal?: AbortSignal): Promise<readonly string[]> {
  const list = ({ targets }: Postdate) => targets.list({ limit: 100 }, { signal });
  return idsOf(service, list, ({ targetId }) => targetId, signal);
}

/** The same of schedules. */
export function scheduleIds(service: Service, signal?: AbortSignal): Promise<readonly string[]> {
  const list = ({ schedules }: Postdate) => schedules.list({ limit: 100 }, { signal });
  return idsOf(service, list, ({ scheduleId }) => scheduleId, signal);
}

/** The same of event endpoints, of which there are ten at most. */
export function eventEndpointIds(service: Service): Promise<readonly string[]> {
  const list = ({ events }: Postdate) => events.list();
  return idsOf(service, list, ({ endpointId }) => endpointId, undefined);
}

async function idsOf<Item>(
  service: Service,
  list: (postdate: Postdate) => AsyncIterable<Item>,
  idOf: (item: Item) => string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const ids: string[] = [];
  try {
    await service.ask(async (postdate) => {
      for await (const item of list(postdate)) if (ids.push(idOf(item)) === mostNames) break;
    });
  } catch (error) {
    if (!(error instanceof CommandFailed) && signal?.aborted !== true) throw error;
  }
  return ids;
}
