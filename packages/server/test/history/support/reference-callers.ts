import type { Message } from "../../../src/domain/message.ts";
import type { Due } from "../history.ts";
import type { ReferenceDeliveries } from "./reference-deliveries.ts";
import type { Answered } from "./reference-store.ts";
import { spanMs } from "./reference-world.ts";
import type { ReferenceOptions, ReferenceWorld } from "./reference-world.ts";
import { accountId } from "./small-history.ts";

const call = { accountId, writer: "w" };
const unknown = { kind: "unknown" } as const;
const lostShare = 0.15;

/** Callers that make every kind of call and sometimes lose the answer. */
export class ReferenceCallers {
  readonly #world: ReferenceWorld;
  readonly #deliveries: ReferenceDeliveries;
  readonly #options: ReferenceOptions;

  constructor(world: ReferenceWorld, deliveries: ReferenceDeliveries, options: ReferenceOptions) {
    this.#world = world;
    this.#deliveries = deliveries;
    this.#options = options;
  }

  start(): void {
    const { chance } = this.#world;
    for (let index = 0; index < this.#options.messages; index++) {
      const askedAt = chance.between(0, 500);
      const delayMs = chance.between(20, 900);
      this.#schedule(`k${index}`, askedAt, isDelay(index) ? { delayMs } : askedAt + delayMs);
    }
    for (let walk = 0; walk < 3; walk++) this.#walk(`walk ${walk}`, chance.between(0, spanMs));
  }

  /** A caller usually repeats a call whose answer was lost, with the same key. */
  #schedule(key: string, askedAt: number, dueAt: Due): void {
    const { store, chance, asked } = this.#world;
    const isLost = chance.happens(lostShare);
    const happens = !isLost || chance.happens(0.5);
    this.#world.at(askedAt + chance.between(1, 30), (now) => {
      const before = store.used;
      const made = happens ? store.schedule(key, dueAt, key, now) : unknown;
      if (store.used > before && made.kind === "ok") {
        this.#deliveries.wakeFor(made.message.messageId, made.message.originalDeliveryTime);
      }
      const answer = isLost ? unknown : made;
      const answeredAt = now + chance.between(0, 30);
      const what = { ...call, key, targetId: "t", dueAt, payload: key };
      asked.push({ ...what, verb: "schedule", askedAt, answeredAt, answer });
      if (isLost && chance.happens(0.7)) this.#schedule(key, answeredAt + 5, dueAt);
      if (answer.kind === "ok") this.#touch(answer.message.messageId, answeredAt);
    });
  }

  #touch(messageId: string, since: number): void {
    const { chance } = this.#world;
    const count = chance.between(0, this.#options.calls * 2);
    for (let index = 0; index < count; index++) {
      const askedAt = since + chance.between(1, spanMs);
      if (chance.happens(0.5)) this.#get(messageId, askedAt);
      else {
        const delayMs = chance.happens(0.5) ? null : chance.between(-50, 900);
        if (delayMs === null) this.#change(messageId, null, askedAt);
        else if (isDelay(index))
          this.#change(messageId, { delayMs: Math.max(0, delayMs) }, askedAt);
        else this.#change(messageId, askedAt + delayMs, askedAt);
      }
    }
  }

  #get(messageId: string, askedAt: number): void {
    const { store, chance, asked } = this.#world;
    this.#world.at(askedAt + chance.between(1, 30), (now) => {
      const answer = chance.happens(lostShare) ? unknown : store.get(messageId, now);
      asked.push({ ...call, verb: "get", messageId, askedAt, answeredAt: now + 3, answer });
    });
  }

  #change(messageId: string, dueAt: Due | null, askedAt: number): void {
    const { store, chance, asked } = this.#world;
    const verb = dueAt === null ? "cancel" : "reschedule";
    const what = { ...call, verb, messageId, dueAt, askedAt } as const;
    const isLost = chance.happens(lostShare);
    if (isLost) {
      asked.push({ ...what, answeredAt: askedAt + chance.between(1, 40), answer: unknown });
      if (chance.happens(0.5)) return;
    }
    const decided = (answer: Answered): void => {
      const next = answer.kind === "ok" ? answer.message.nextDeliveryTime : null;
      if (next !== null) this.#deliveries.wakeFor(messageId, next);
      const answeredAt = this.#world.now + chance.between(0, 20);
      if (!isLost) asked.push({ ...what, answeredAt, answer });
    };
    this.#world.at(askedAt + chance.between(1, 30), (now) => {
      const answer = store.change({ messageId, dueAt }, now, decided);
      if (answer !== undefined) decided(answer);
    });
  }

  #walk(walk: string, askedAt: number, after?: Message): void {
    const { store, chance, asked } = this.#world;
    this.#world.at(askedAt + 2, () => {
      const limit = 2;
      const found = store.list(after, limit + 1);
      const items = found.slice(0, limit);
      const isLast = found.length <= limit;
      asked.push({
        ...call,
        verb: "list page",
        walk,
        list: "scheduled",
        targetId: "t",
        minTime: null,
        maxTime: null,
        limit,
        askedAt,
        answeredAt: askedAt + 4,
        answer: { kind: "ok", items, isLast },
      });
      if (!isLast && chance.happens(0.9)) this.#walk(walk, askedAt + 6, items.at(-1));
    });
  }
}

/** A third of the calls give a delay, and the store computes the instant. */
function isDelay(index: number): boolean {
  return index % 3 === 1;
}
