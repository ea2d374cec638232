import { markOf } from "../../../src/domain/events/bookmark.ts";
import type { EventEndpoint } from "../../../src/domain/events/event-endpoint.ts";
import { maskOfAccount, maskOfTarget } from "../../../src/domain/events/event-endpoint.ts";
import { bitOf } from "../../../src/domain/events/event-types.ts";
import type { EventMask } from "../../../src/domain/events/event-types.ts";
import type { EventFacts, EventPosition, LoggedEvent } from "../../../src/domain/events/event.ts";
import type { TargetHealth } from "../../../src/domain/events/target-health.ts";
import { unknownHealth } from "../../../src/domain/events/target-health.ts";
import type { Instant } from "../../../src/domain/message.ts";
import type { EventEndpointRef, LogSpan } from "../../../src/storage/store.ts";

export interface KeptEndpoint {
  endpoint: EventEndpoint;
  /** The epoch of the membership that sends its events. */
  holder: number | null;
}

interface Log {
  readonly events: LoggedEvent[];
  last: EventPosition;
  /** Of the last event that was removed. */
  removedMark: string | null;
}

/** Endpoints, the logs of accounts, and the health of targets. */
export class EventTable {
  #endpoints: KeptEndpoint[] = [];
  #written = 0;
  readonly #logs = new Map<string, Log>();
  readonly #health = new Map<number, TargetHealth>();

  endpoints(): readonly KeptEndpoint[] {
    return this.#endpoints;
  }

  find({ accountId, endpointId }: EventEndpointRef): KeptEndpoint | undefined {
    return this.ofAccount(accountId).find(({ endpoint }) => endpoint.endpointId === endpointId);
  }

  ofAccount(accountId: string): KeptEndpoint[] {
    return this.#endpoints.filter(({ endpoint }) => endpoint.accountId === accountId);
  }

  addEndpoint(endpoint: EventEndpoint): void {
    this.#endpoints.push({ endpoint, holder: null });
  }

  removeEndpoint(kept: KeptEndpoint): void {
    this.#endpoints = this.#endpoints.filter((each) => each !== kept);
  }

  /** The account was removed. Its log goes later. */
  removeEndpointsOf(accountId: string): void {
    this.#endpoints = this.#endpoints.filter(({ endpoint }) => endpoint.accountId !== accountId);
  }

  /** Null: of what concerns no target. */
  maskOf(accountId: string, targetId: string | null): EventMask {
    const filters = this.ofAccount(accountId).map(({ endpoint }) => endpoint.filter);
    return targetId === null ? maskOfAccount(filters) : maskOfTarget(filters, targetId);
  }

  isWanted(accountId: string, { type, targetId }: Pick<EventFacts, "type" | "targetId">): boolean {
    return (this.maskOf(accountId, targetId) & bitOf(type)) !== 0;
  }

  /** Ids are counted and not drawn, so that a world plays alike whoever is told of it. */
  write(accountId: string, facts: EventFacts): void {
    const log = this.#logOf(accountId);
    log.last++;
    const eventId = `evt_${String(++this.#written).padStart(26, "0")}`;
    // As a store reads it back: nothing in it changes any more.
    const data = JSON.parse(JSON.stringify(facts.data)) as EventFacts["data"];
    log.events.push({ ...facts, data, accountId, eventId, position: log.last });
  }

  eventsOf(accountId: string): readonly LoggedEvent[] {
    return this.#logs.get(accountId)?.events ?? [];
  }

  spanOf(accountId: string): LogSpan {
    const { events, last = 0 } = this.#logs.get(accountId) ?? { events: [] };
    return { last, removedUpTo: last - events.length };
  }

  /** Of the event at a position. Null: the log ends before it, or has not begun. */
  markAt(accountId: string, position: EventPosition): string | null {
    const { last, removedUpTo } = this.spanOf(accountId);
    if (position < removedUpTo || position > last) return null;
    const log = this.#logs.get(accountId);
    if (position === removedUpTo) return log?.removedMark ?? null;
    return markOf(log!.events[position - removedUpTo - 1]!);
  }

  /** From the beginnings of the logs. Answers with the times of those that are left there. */
  removeUntil(
    time: Instant,
    limit: number,
    eventLimit: number,
  ): { removed: number; next: Instant | null } {
    let removed = 0;
    let next: Instant | null = null;
    for (const log of this.#logs.values()) {
      const { events } = log;
      let latest = -Infinity;
      let old = 0;
      for (const event of events) {
        latest = Math.max(latest, event.time);
        const isYoung = latest > time && events.length - old <= eventLimit;
        if (isYoung || removed + old >= limit) break;
        old++;
      }
      const last = events.splice(0, old).at(-1);
      if (last !== undefined) log.removedMark = markOf(last);
      removed += old;
      if (events.length > 0) next = Math.min(next ?? Infinity, Math.max(latest, events[0]!.time));
    }
    return { removed, next };
  }

  /** Of a removed account. */
  removeLog(accountId: string, limit: number): number {
    const events = this.#logs.get(accountId)?.events ?? [];
    const removed = events.splice(0, limit).length;
    if (events.length === 0) this.#logs.delete(accountId);
    return removed;
  }

  healthOf(targetKey: number): TargetHealth {
    return this.#health.get(targetKey) ?? unknownHealth;
  }

  setHealth(targetKey: number, health: TargetHealth): void {
    this.#health.set(targetKey, health);
  }

  targetsWithHealth(): number[] {
    return [...this.#health.keys()];
  }

  #logOf(accountId: string): Log {
    const known = this.#logs.get(accountId);
    if (known !== undefined) return known;
    const log: Log = { events: [], last: 0, removedMark: null };
    this.#logs.set(accountId, log);
    return log;
  }
}
