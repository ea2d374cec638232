import type { DatabaseSync } from "node:sqlite";
import type { EventFacts } from "../../../../domain/events/event.ts";
import { bitOf, eventTypes, messageMask } from "../../../../domain/events/event-types.ts";
import type { EventMask } from "../../../../domain/events/event-types.ts";
import {
  messageEvents,
  replacedInPlaceEvent,
  stepsOf,
} from "../../../../domain/events/message-events.ts";
import type { Attempt } from "../../../../domain/attempt.ts";
import type { Instant } from "../../../../domain/instant.ts";
import type { TrackedMessage } from "../../../../domain/message.ts";
import type { ChangeDecision } from "../../../../domain/transitions.ts";
import { newEventId } from "../../../../platform/event-ids.ts";
import type { Random } from "../../../../platform/random.ts";
import { insertInto } from "../../rows/rows.ts";
import type { EventMasks } from "./event-masks.ts";
import type { LogHeads } from "./log-heads.ts";

export interface EventLogParts {
  readonly random: Random;
  readonly masks: EventMasks;
  readonly heads: LogHeads;
}

/** What made a change of a message, besides what the message says. */
export interface ChangeOccasion {
  readonly now: Instant;
  /** The attempt that made it. */
  readonly attempt?: Attempt | null;
  /** What was decided on changes that waited for the end of a claim, in their order. */
  readonly answers?: readonly { readonly decision: ChangeDecision }[];
}

const columns = [
  ...["account_key", "position", "event_id", "type", "time", "log_time", "target_id", "data"],
] as const;

/** Writes events in the commit of what they tell. */
export class EventLog {
  readonly #random: Random;
  readonly #masks: EventMasks;
  readonly #heads: LogHeads;
  readonly #insert;

  constructor(db: DatabaseSync, { random, masks, heads }: EventLogParts) {
    this.#random = random;
    this.#masks = masks;
    this.#heads = heads;
    this.#insert = db.prepare(insertInto("events", columns));
  }

  /** Whether anybody is told about anything. Nearly always nobody is, so whoever has an event asks this first. */
  get isOn(): boolean {
    return this.#masks.areAny;
  }

  messageScheduled(targetKey: number, after: TrackedMessage): void {
    const step = { before: null, after, attempt: null };
    this.#tellOfMessage(targetKey, (mask) => messageEvents([step], mask, after.schedulingTime));
  }

  messageChanged(
    targetKey: number,
    before: TrackedMessage,
    after: TrackedMessage,
    { now, attempt = null, answers = [] }: ChangeOccasion,
  ): void {
    this.#tellOfMessage(targetKey, (mask) => {
      const decisions = answers.map(({ decision }) => decision);
      return messageEvents(stepsOf(before, after, attempt, decisions), mask, now);
    });
  }

  messageReplacedInPlace(targetKey: number, after: TrackedMessage, now: Instant): void {
    this.#tellOfMessage(targetKey, (mask) => {
      const event = replacedInPlaceEvent(after, now);
      return (bitOf(event.type) & mask) === 0 ? [] : [event];
    });
  }

  /** `targetId`: the target that it concerns; null: none. The event is made only if somebody is told about it. */
  tell(
    accountKey: number,
    { type, targetId }: Pick<EventFacts, "type" | "targetId">,
    event: () => EventFacts,
  ): void {
    if (!this.isOn) return;
    const mask = this.#masks.ofTargetId(accountKey, targetId);
    if ((mask & bitOf(type)) !== 0) this.#write(accountKey, event());
  }

  #write(accountKey: number, { type, time, targetId, data }: EventFacts): void {
    const { position, logTime } = this.#heads.next(accountKey, time);
    this.#insert.run(
      accountKey,
      position,
      newEventId(this.#random),
      eventTypes.indexOf(type),
      time,
      logTime,
      targetId,
      JSON.stringify(data),
    );
  }

  #tellOfMessage(targetKey: number, eventsOf: (mask: EventMask) => readonly EventFacts[]): void {
    if (!this.isOn) return;
    const { accountKey, mask } = this.#masks.ofTarget(targetKey);
    if ((mask & messageMask) === 0) return;
    for (const event of eventsOf(mask)) this.#write(accountKey, event);
  }
}
