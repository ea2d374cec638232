import { expect, test } from "vitest";
import { handTimers } from "./testing/hand-timers.ts";
import { RepeatedLook } from "./repeated-look.ts";

/** Looks that are answered when the test says so, with how long to rest or with an error. */
function looks() {
  const { timers, delays, goOff } = handTimers();
  const troubles: unknown[] = [];
  let answer!: (restMs: number | null | Error) => void;
  const look = new RepeatedLook({
    timers,
    look: () =>
      new Promise((resolve, reject) => {
        answer = (restMs) => (restMs instanceof Error ? reject(restMs) : resolve(restMs));
      }),
    onFailure: (error) => void troubles.push(error),
  });
  return {
    ...{ look, delays, goOff, troubles },
    async answer(restMs: number | null | Error) {
      answer(restMs);
      await new Promise(setImmediate);
    },
  };
}

test("it rests as long as the look says, and not at all once nobody needs one", async () => {
  const { look, delays, goOff, answer } = looks();
  look.need(7);
  look.need(3);
  expect(delays()).toEqual([7]);
  await goOff();
  await answer(40);
  expect(delays()).toEqual([40]);
  await goOff();
  look.need(3);
  await answer(null);
  expect(delays()).toEqual([0]);
  await goOff();
  await answer(null);
  expect(delays()).toEqual([]);
});

test("a haste ends the rest, or comes right after the look that is under way", async () => {
  const { look, delays, goOff, answer } = looks();
  look.need(4_000);
  look.hasten();
  expect(delays()).toEqual([0]);
  await goOff();
  look.hasten();
  await answer(4_000);
  expect(delays()).toEqual([0]);
  await goOff();
  await answer(4_000);
  expect(delays()).toEqual([4_000]);
});

test("every failure is told, the pauses grow, and a success makes them short again", async () => {
  const { look, delays, goOff, answer, troubles } = looks();
  const away = new Error("away");
  const paused: number[] = [];
  look.need(0);
  for (let failures = 0; failures < 8; failures++) {
    await goOff();
    await answer(away);
    paused.push(...delays());
  }
  expect(paused).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  expect(troubles).toHaveLength(8);
  await goOff();
  await answer(50);
  await goOff();
  await answer(away);
  expect(delays()).toEqual([100]);
});

test("once it has stopped, nothing looks, and a stop waits for the look that is under way", async () => {
  const { look, delays, goOff, answer } = looks();
  look.need(0);
  await goOff();
  let hasStopped = false;
  const stopped = look.stop().then(() => void (hasStopped = true));
  await new Promise(setImmediate);
  expect(hasStopped).toBe(false);
  await answer(10);
  await stopped;
  look.need(0);
  look.hasten();
  expect(delays()).toEqual([]);
});
