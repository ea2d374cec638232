import fc from "fast-check";
import { expect, test } from "vitest";
import { Agenda } from "./agenda.ts";

test("behaves like a plain map from target to earliest instant", () => {
  const note = fc.record({ targetKey: fc.nat(20), dueAt: fc.nat(100) });
  const step = fc.oneof(fc.record({ note }), fc.record({ take: fc.nat(110) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const agenda = new Agenda();
      const model = new Map<number, number>();
      for (const each of steps) {
        if ("note" in each) {
          const { targetKey, dueAt } = each.note;
          agenda.note(targetKey, `account ${targetKey}`, dueAt);
          model.set(targetKey, Math.min(dueAt, model.get(targetKey) ?? Infinity));
        } else {
          const expected = [...model].filter(([, dueAt]) => dueAt <= each.take);
          const due = agenda.takeDue(each.take);
          for (const { accountId, targetKey } of due)
            expect(accountId).toBe(`account ${targetKey}`);
          const taken = due.map(({ targetKey }) => targetKey);
          expect(new Set(taken)).toEqual(new Set(expected.map(([key]) => key)));
          expect(taken).toHaveLength(expected.length);
          const times = taken.map((key) => model.get(key)!);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
          for (const key of taken) model.delete(key);
        }
        expect(agenda.size).toBe(model.size);
        expect(agenda.nextDueAt).toBe(model.size > 0 ? Math.min(...model.values()) : undefined);
      }
    }),
  );
});

test("does not grow with the number of notes", () => {
  const agenda = new Agenda();
  for (let repeat = 0; repeat < 1_000; repeat++) {
    agenda.note(1, null, 5_000);
    agenda.note(1, null, repeat);
    agenda.takeDue(repeat);
  }
  expect(agenda.size).toBe(0);
});

test("hands out a part and keeps the rest for later", () => {
  const agenda = new Agenda();
  for (let targetKey = 1; targetKey <= 5; targetKey++) agenda.note(targetKey, null, targetKey);
  expect(agenda.takeDue(10, 2).map(({ targetKey }) => targetKey)).toEqual([1, 2]);
  expect(agenda.takeDue(10, 9).map(({ targetKey }) => targetKey)).toEqual([3, 4, 5]);
});
