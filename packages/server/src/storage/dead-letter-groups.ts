import type { DeadLetterReason } from "../domain/end-reason.ts";
import type { Message } from "../domain/message.ts";
import type { DeadLetterGroup } from "./stats-store.ts";

/** Gathers dead letters that ended in the same way. The newest of a target come first. */
export class DeadLetterGroups {
  readonly #groups = new Map<string, DeadLetterGroup>();

  get size(): number {
    return this.#groups.size;
  }

  add(message: Message, statusCode: number | null): void {
    const { targetId, endReason } = message;
    const time = message.deadLetterTime!;
    this.merge({
      targetId,
      reason: endReason as DeadLetterReason | null,
      statusCode,
      count: 1,
      firstTime: time,
      lastTime: time,
      sample: message,
    });
  }

  merge(group: DeadLetterGroup): void {
    const name = JSON.stringify([group.targetId, group.reason, group.statusCode]);
    const before = this.#groups.get(name);
    this.#groups.set(name, before === undefined ? group : joined(before, group));
  }

  all(): DeadLetterGroup[] {
    return [...this.#groups.values()];
  }
}

function joined(one: DeadLetterGroup, other: DeadLetterGroup): DeadLetterGroup {
  const newest = other.lastTime > one.lastTime ? other : one;
  return {
    ...newest,
    count: one.count + other.count,
    firstTime: Math.min(one.firstTime, other.firstTime),
  };
}
