import { expect, test } from "vitest";
import { DatabaseClock } from "./database-clock.ts";

/** A database whose clock is ahead of this process's by `aheadMs`. An answer takes as long as the test says. */
function play(aheadMs: number) {
  const database = { aheadMs };
  let time = 1_000;
  const clock = new DatabaseClock({ monotonic: () => time });
  /** The database reads its clock after this share of the time. */
  const read = async (tookMs: number, share: number): Promise<number> => {
    time += tookMs * share;
    const now = Math.floor(time + database.aheadMs);
    time += tookMs * (1 - share);
    return now;
  };
  return {
    ...{ clock, database },
    pass: (ms: number) => void (time += ms),
    learn: (tookMs: number, share = 0.5) => clock.learn(() => read(tookMs, share)),
    notice: (tookMs: number, share = 0.5) =>
      clock.noticing(
        async () => ({ now: await read(tookMs, share) }),
        ({ now }) => now,
      ),
    errorMs: () => Math.abs(clock.now() - (time + database.aheadMs)),
  };
}

test("of two readings in a row the one with the shorter round trip counts", async () => {
  const { learn, errorMs } = play(500);
  await learn(2);
  await learn(400, 1);
  expect(errorMs()).toBeLessThanOrEqual(1);
});

test("an older reading loses its worth", async () => {
  const { database, learn, pass, errorMs } = play(500);
  await learn(2);
  for (let reading = 0; reading < 20; reading++) {
    pass(2_500);
    // The clocks drift apart.
    database.aheadMs += 3;
    await learn(10);
  }
  expect(errorMs()).toBeLessThan(12);
});

test.each([-300_000, -1_000, 1_000, 300_000])(
  "a clock that is set by %i ms is seen in the next reading, however slow that is",
  async (byMs) => {
    const { database, learn, errorMs } = play(500);
    await learn(2);
    database.aheadMs += byMs;
    await learn(400);
    expect(errorMs()).toBeLessThanOrEqual(1);
  },
);

test("an answer by the way shows that the clock was set, and refines nothing", async () => {
  const { database, learn, notice, errorMs } = play(500);
  await learn(40, 1);
  expect(errorMs()).toBeGreaterThan(15);
  await notice(2);
  expect(errorMs()).toBeGreaterThan(15);
  database.aheadMs -= 60_000;
  expect(await notice(100)).toHaveProperty("now");
  expect(errorMs()).toBeLessThanOrEqual(1);
});
