import type { Occurrence } from "./occurrence.ts";

/** Joins sequences, each with the earliest first. What several have comes once, and stands for all of them. */
export function* merged(
  sequences: readonly Iterator<Occurrence, void, undefined>[],
): Generator<Occurrence, void, undefined> {
  const heads = sequences.map((sequence) => ({ sequence, head: sequence.next() }));
  for (;;) {
    let first: Occurrence | undefined;
    for (const { head } of heads) {
      if (head.done === true) continue;
      const isEarlier = first === undefined || head.value.time < first.time;
      const standsForGap = head.value.time === first?.time && head.value.mark === "gap";
      if (isEarlier || standsForGap) first = head.value;
    }
    if (first === undefined) return;
    for (const each of heads) {
      if (each.head.done !== true && each.head.value.time === first.time) {
        each.head = each.sequence.next();
      }
    }
    yield first;
  }
}
