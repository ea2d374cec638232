import type { Attempt } from "../../../src/domain/attempt.ts";
import type { Instant, TrackedMessage } from "../../../src/domain/message.ts";
import type { MessageRef } from "../../../src/storage/store.ts";
import { SortedList } from "./sorted-list.ts";

export interface StoredMessage {
  readonly accountId: string;
  readonly targetKey: number;
  /** The node that accepted it. */
  readonly acceptedBy: string;
  readonly payload: string;
  readonly attempts: Attempt[];
  readonly message: TrackedMessage;
}

/** The position of a message in a list: by instant, then by target, then by id. */
export interface TimedEntry {
  readonly time: Instant;
  readonly targetKey: number;
  readonly messageId: string;
}

export type TimedList = SortedList<TimedEntry>;

function byTime(one: TimedEntry, other: TimedEntry): number {
  if (one.time !== other.time) return one.time - other.time;
  if (one.targetKey !== other.targetKey) return one.targetKey - other.targetKey;
  return one.messageId < other.messageId ? -1 : Number(one.messageId > other.messageId);
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Every message, and the lists that find it. */
export class MessageTable {
  readonly #byId = new Map<string, StoredMessage>();
  readonly #scheduledOf = new Map<number, TimedList>();
  readonly #deadOf = new Map<number, TimedList>();
  /** The scheduled messages that have a key, by target and key. */
  readonly #byKey = new Map<string, Set<StoredMessage>>();
  /** The scheduled messages of all targets. */
  readonly timeline: TimedList = new SortedList(byTime);
  /** The scheduled messages that have a `notAfter`, by it. */
  readonly bounded: TimedList = new SortedList(byTime);
  /** The messages that have ended. */
  readonly expiring: TimedList = new SortedList(byTime);
  /** The messages that changed since this was last cleared. */
  readonly touched = new Set<string>();
  /** For judges: an edit keeps nothing of a message that it makes again. */
  readonly removedOfSchedules: StoredMessage[] = [];

  get size(): number {
    return this.#byId.size;
  }

  all(): Iterable<StoredMessage> {
    return this.#byId.values();
  }

  get(messageId: string): StoredMessage | undefined {
    return this.#byId.get(messageId);
  }

  /** What the account may see of the message: nothing once it has expired. */
  find({ accountId, messageId }: MessageRef, now: Instant): StoredMessage | undefined {
    const stored = this.#byId.get(messageId);
    return stored?.accountId === accountId && !hasExpired(stored, now) ? stored : undefined;
  }

  insert(stored: StoredMessage): void {
    const { messageId } = stored.message;
    if (this.#byId.has(messageId)) throw new Error(`${messageId} is there already`);
    this.#byId.set(messageId, stored);
    this.touched.add(messageId);
    this.#enter(stored);
  }

  update(stored: StoredMessage, message: TrackedMessage, payload = stored.payload): void {
    this.#leave(stored);
    Object.assign(stored as Writable<StoredMessage>, { message, payload });
    this.touched.add(message.messageId);
    this.#enter(stored);
  }

  remove(stored: StoredMessage): void {
    const { messageId } = stored.message;
    if (stored.message.options?.schedule !== undefined) this.removedOfSchedules.push(stored);
    this.#leave(stored);
    this.#byId.delete(messageId);
    this.touched.add(messageId);
  }

  holderOf(targetKey: number, key: string): StoredMessage | undefined {
    return [...(this.#byKey.get(`${targetKey} ${key}`) ?? [])].at(-1);
  }

  /** Whether another scheduled message has its key. Only a defect can cause that. */
  sharesKey(stored: StoredMessage): boolean {
    return (this.#byKey.get(keyPlace(stored) ?? "")?.size ?? 0) > 1;
  }

  #enter(stored: StoredMessage): void {
    for (const { list, entry } of this.entriesOf(stored)) list.add(entry);
    const place = keyPlace(stored);
    if (place === undefined) return;
    const holders = this.#byKey.get(place);
    if (holders === undefined) this.#byKey.set(place, new Set([stored]));
    else holders.add(stored);
  }

  #leave(stored: StoredMessage): void {
    for (const { list, entry } of this.entriesOf(stored)) list.remove(entry);
    const place = keyPlace(stored);
    if (place !== undefined) this.#byKey.get(place)?.delete(stored);
  }

  scheduledOf(targetKey: number): TimedList {
    return listOf(this.#scheduledOf, targetKey);
  }

  deadOf(targetKey: number): TimedList {
    return listOf(this.#deadOf, targetKey);
  }

  /** The lists that a message in its current state belongs to. */
  entriesOf({ targetKey, message }: StoredMessage): { list: TimedList; entry: TimedEntry }[] {
    const { messageId, nextDeliveryTime, deadLetterTime, expirationTime } = message;
    const times: [TimedList, Instant | null][] = [
      [this.timeline, nextDeliveryTime],
      [this.scheduledOf(targetKey), nextDeliveryTime],
      [this.deadOf(targetKey), deadLetterTime],
      [this.expiring, expirationTime],
      [this.bounded, (nextDeliveryTime !== null && message.options?.notAfter) || null],
    ];
    return times.flatMap(([list, time]) =>
      time === null ? [] : [{ list, entry: { time, targetKey, messageId } }],
    );
  }

  /** How many messages are in the lists of all targets. */
  countInLists(): { readonly scheduled: number; readonly dead: number } {
    return { scheduled: sumOf(this.#scheduledOf), dead: sumOf(this.#deadOf) };
  }
}

function keyPlace({ targetKey, message }: StoredMessage): string | undefined {
  const key = message.state === "SCHEDULED" ? message.options?.key : undefined;
  return key === undefined ? undefined : `${targetKey} ${key}`;
}

export function hasExpired({ message }: StoredMessage, now: Instant): boolean {
  return message.expirationTime !== null && message.expirationTime <= now;
}

function listOf(lists: Map<number, TimedList>, targetKey: number): TimedList {
  const known = lists.get(targetKey);
  if (known !== undefined) return known;
  const list: TimedList = new SortedList(byTime);
  lists.set(targetKey, list);
  return list;
}

function sumOf(lists: ReadonlyMap<number, TimedList>): number {
  let sum = 0;
  for (const list of lists.values()) sum += list.length;
  return sum;
}
