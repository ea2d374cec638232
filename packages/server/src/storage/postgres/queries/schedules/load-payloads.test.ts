import { expect, test } from "vitest";
import { loadPayloads } from "./load-payloads.ts";
import type { DecidedStep } from "./take-steps.ts";

const step = (key: number, ...runTimes: readonly number[]) =>
  ({
    key,
    step: { messages: runTimes.map((runTime) => ({ runTime, payload: "" })) },
  }) as unknown as DecidedStep;

test("payloads are read of schedules that make a message, and of no others", async () => {
  const asked: unknown[] = [];
  const run = async ({ values }: { readonly values?: readonly unknown[] }) => {
    asked.push(values);
    return [{ schedule_key: 2, payload: Buffer.from("größer") }];
  };
  const steps = [step(1), step(2, 60, 120), step(3)];
  const loaded = await loadPayloads(run, steps);
  expect(asked).toEqual([["{2}"]]);
  expect(loaded.map(({ key }) => key)).toEqual([1, 2, 3]);
  expect(loaded[1]!.step.messages).toEqual([
    { runTime: 60, payload: "größer" },
    { runTime: 120, payload: "größer" },
  ]);
  expect(await loadPayloads(run, [step(1)])).toEqual([step(1)]);
  expect(asked).toHaveLength(1);
});
