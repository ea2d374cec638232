import type { DatabaseSync } from "node:sqlite";
import type { EventFacts } from "../../../../domain/events/event.ts";
import { bitOf, messageMask } from "../../../../domain/events/event-types.ts";
import type { EventMask } from "../../../../domain/events/event-types.ts";
import {
  messageEvent,
  messageEvents,
  replacedInPlaceEvent,
  stepsOf,
} from "../../../../domain/events/message-events.ts";
import type { Attempt } from "../../../../domain/attempt.ts";
import type { Instant } from "../../../../domain/instant.ts";
import type { TrackedMessage } from "../../../../domain/message.ts";
import type { ChangeDecision } from "../../../../domain/transitions.ts";
import { createEventSeeds } from "../../../../platform/event-ids.ts";
import type { Random } from "../../../../platform/random.ts";
import { GrowingBundle } from "../../../event-log/bundles.ts";
import type { Transaction } from "../../database/transaction.ts";
import { bundleValues, insertBundle } from "../../rows/bundle-rows.ts";
import type { EventMasks } from "./event-masks.ts";
import type { LogHeads } from "./log-heads.ts";

const scheduledBit = bitOf("message.scheduled");

export interface EventLogParts {
  readonly transaction: Transaction;
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

/**
 * Writes events in the commit of what they tell. Until shortly before the commit they are kept in memory, so that a log gets
 * one row for many of them.
 */
export class EventLog {
  readonly #transaction: Transaction;
  readonly #nextSeed: () => string;
  readonly #masks: EventMasks;
  readonly #heads: LogHeads;
  readonly #insert;
  /** By account. */
  readonly #unwritten = new Map<number, GrowingBundle>();

  constructor(db: DatabaseSync, { transaction, random, masks, heads }: EventLogParts) {
    this.#transaction = transaction;
    this.#nextSeed = createEventSeeds(random);
    this.#masks = masks;
    this.#heads = heads;
    this.#insert = db.prepare(insertBundle);
  }

  /** Whether anybody is told about anything. Nearly always nobody is, so whoever has an event asks this first. */
  get isOn(): boolean {
    return this.#masks.areAny;
  }

  /** Written out, because a batch tells a thousand of these. */
  messageScheduled(targetKey: number, after: TrackedMessage): void {
    if (!this.isOn) return;
    const { accountKey, mask } = this.#masks.ofTarget(targetKey);
    if ((mask & scheduledBit) === 0) return;
    const step = { before: null, after, attempt: null };
    this.#write(accountKey, messageEvent("message.scheduled", step, after.schedulingTime));
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

  /** Writes what memory has. Runs before a commit, and before the log is read or removed within one. */
  persistAll(): void {
    for (const [accountKey, bundle] of this.#unwritten) this.#insertBundle(accountKey, bundle);
    this.#unwritten.clear();
    this.#heads.persistAll();
  }

  #write(accountKey: number, facts: EventFacts): void {
    const place = this.#heads.next(accountKey, facts.time);
    let bundle = this.#unwritten.get(accountKey);
    if (bundle?.isFull) {
      this.#insertBundle(accountKey, bundle);
      bundle = undefined;
    }
    if (bundle === undefined) {
      if (this.#unwritten.size === 0) this.#transaction.onRollback(() => this.#unwritten.clear());
      bundle = new GrowingBundle(place);
      this.#unwritten.set(accountKey, bundle);
    }
    bundle.add(facts);
  }

  #insertBundle(accountKey: number, bundle: GrowingBundle): void {
    this.#insert.run(...bundleValues(accountKey, bundle.finished(this.#nextSeed())));
  }

  #tellOfMessage(targetKey: number, eventsOf: (mask: EventMask) => readonly EventFacts[]): void {
    if (!this.isOn) return;
    const { accountKey, mask } = this.#masks.ofTarget(targetKey);
    if ((mask & messageMask) === 0) return;
    for (const event of eventsOf(mask)) this.#write(accountKey, event);
  }
}
