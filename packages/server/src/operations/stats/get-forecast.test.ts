import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Caller } from "../../domain/access.ts";
import { RequestLimited } from "../../domain/refusals.ts";
import type { ForecastSchedule } from "../../domain/schedules/forecast/runs-to-come.ts";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { StoreUnavailable } from "../../storage/store.ts";
import type { CountRequest, CountSlice, ScheduleSlice, WalkRequest } from "../../storage/store.ts";
import { getForecast } from "./get-forecast.ts";
import { slicePlaces } from "./look-in-slices.ts";
import { RememberedLooks } from "./remembered-looks.ts";
import { runPlaces, runsOfSchedules } from "./runs-source.ts";

const noon = Date.UTC(2026, 10, 18, 12);
const hour = 3_600_000;
const day = 24 * hour;

/** Forecasts over a store whose every slice takes `sliceMs`, in a time that the test lets pass. */
function scene({
  slices = 1,
  sliceMs = 10,
  schedules = [],
  pages = 1,
}: {
  readonly slices?: number;
  readonly sliceMs?: number;
  /** On each page. */
  readonly schedules?: readonly ForecastSchedule[];
  readonly pages?: number;
} = {}) {
  let now = 0;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  const after = (delayMs: number, callback: () => void) => {
    const timer = { at: now + Math.max(0, delayMs), callback };
    timers.push(timer);
    return { cancel: () => void (timers = timers.filter((other) => other !== timer)) };
  };
  const wait = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));
  const asked: CountRequest[] = [];
  const trouble: { store?: Error; schedules?: Error } = {};
  const walked: WalkRequest[] = [];
  const clock = { monotonic: () => now };
  const options = {
    store: {
      clock: { now: () => noon + now },
      getTarget: async ({ targetId }: { targetId: string }) =>
        targetId === "none" ? undefined : ({} as never),
      async countMessages(request: CountRequest): Promise<CountSlice> {
        asked.push(request);
        await wait(sliceMs);
        if (trouble.store !== undefined) throw trouble.store;
        const past = request.edges.length === 2;
        const place = Number(request.after ?? 0);
        const isLast = past || place + 1 >= slices;
        return {
          counts: request.edges.slice(1).map((_, at) => Number(at === 0)),
          reached: isLast ? null : String(place + 1),
        };
      },
      async walkSchedules(request: WalkRequest): Promise<ScheduleSlice> {
        walked.push(request);
        await wait(sliceMs);
        if (trouble.schedules !== undefined) throw trouble.schedules;
        const page = Number(request.after ?? 0);
        return { schedules, reached: page + 1 < pages ? String(page + 1) : null };
      },
    },
    timeZones: new TimeZones(),
    clock,
    timers: { after },
    slicesInTurn: new PlacesInTurn(slicePlaces),
    runsInTurn: new PlacesInTurn(runPlaces),
    stopping: new AbortController().signal,
    looks: new RememberedLooks({ clock, timers: { after } }),
  };
  async function pass(ms: number): Promise<void> {
    const until = now + ms;
    for (;;) {
      await nextTurn();
      const [next] = timers.toSorted((one, other) => one.at - other.at);
      if (next === undefined || next.at > until) break;
      timers = timers.filter((timer) => timer !== next);
      now = Math.max(now, next.at);
      next.callback();
    }
    now = Math.max(now, until);
  }
  const forecast = (days: number, accountId = "a", change: { targetId?: string } = {}) => {
    const maxTime = new Date(noon + days * day).toISOString();
    const given = { maxTime, bucket: "hour" as const, problems: [], ...change };
    return getForecast(options, { accountId } as Caller, given);
  };
  return {
    asked,
    walked,
    trouble,
    pass,
    forecast,
    /** Asks, lets the time pass, and answers with how long the answer took. */
    async answer(...given: Parameters<typeof forecast>) {
      const began = now;
      let tookMs = 0;
      const answering = forecast(...given).finally(() => (tookMs = now - began));
      answering.catch(() => {});
      await pass(1_000);
      return { ...(await answering), tookMs };
    },
  };
}

test("a count that ends soon is whole", async () => {
  const { answer } = scene({ slices: 3 });
  const { items, exact, runsExact, counting, overdue } = await answer(1);
  expect({ exact, runsExact, counting, overdue }).toEqual({
    ...{ exact: true, runsExact: true, counting: false, overdue: 1 },
  });
  expect(items[0]).toEqual({ time: noon, messages: 3, runs: 0 });
});

test("a long count is answered after half a second with what is known, and goes on", async () => {
  const { answer, pass, asked } = scene({ slices: 100, sliceMs: 10 });
  const first = await answer(30);
  expect(first).toMatchObject({ exact: false, counting: true, tookMs: 500 });
  expect(first.items[0]!.messages).toBeGreaterThan(10);
  await pass(4_000);
  const second = await answer(30);
  expect(second).toMatchObject({ exact: true, counting: false, tookMs: 0 });
  expect(second.items[0]!.messages).toBe(100);
  expect(asked).toHaveLength(101);
});

test("a far forecast is remembered by what it costs, a near one for ten seconds", async () => {
  const { answer, pass, asked } = scene({ slices: 40, sliceMs: 100 });
  await answer(30);
  await pass(20_000);
  const counted = asked.length;
  await pass(200_000);
  expect(await answer(30)).toMatchObject({ exact: true });
  expect(asked).toHaveLength(counted);
  await pass(100_000);
  await answer(30);
  expect(asked.length).toBeGreaterThan(counted);

  for (const change of [{}, { targetId: "t" }]) {
    const { answer, pass, asked } = scene();
    const days = change.targetId === undefined ? 1 : 30;
    await answer(days, "a", change);
    await answer(days, "a", change);
    expect(asked).toHaveLength(2);
    await pass(10_000);
    await answer(days, "a", change);
    expect(asked).toHaveLength(4);
  }
});

test("a count that nobody asks for any more ends", async () => {
  const { answer, pass, asked } = scene({ slices: 1_000_000, sliceMs: 100 });
  await answer(30);
  await pass(60_000);
  const counted = asked.length;
  await pass(60_000);
  expect(asked).toHaveLength(counted);
  expect(await answer(30)).toMatchObject({ exact: false, counting: true });
});

test("an account that asks for much waits for itself, and others find their turn", async () => {
  const { forecast, pass, asked } = scene({ slices: 1_000, sliceMs: 20 });
  const many = Array.from({ length: 8 }, (_, days) => forecast(days + 2));
  await expect(forecast(20)).rejects.toThrow(RequestLimited);
  await pass(100);
  const before = asked.length;
  const other = forecast(1, "b");
  await pass(1);
  expect(asked.slice(before).map(({ accountId }) => accountId)).toContain("b");
  await pass(1_000);
  expect((await other).items[0]!.messages).toBeGreaterThan(0);
  await Promise.all(many);
});

test("what the store cannot answer is refused, and asked anew the next time", async () => {
  const { answer, trouble } = scene();
  trouble.store = new StoreUnavailable("gone");
  await expect(answer(1)).rejects.toThrow(StoreUnavailable);
  delete trouble.store;
  expect(await answer(1)).toMatchObject({ exact: true });
});

/** Due at each full hour. */
const hourly: ForecastSchedule = {
  ...{ accountId: "a", scheduleId: "s", cron: ["0 * * * *"], everyMs: null, at: null },
  ...{ timeZone: "UTC", startTime: null, endTime: null, except: [], creationTime: 0 },
  ...{ maxRuns: null, flexWindowMs: 0, skips: [], nextRunTime: noon + hour },
  progress: {
    ...{ cursor: 0, lookTime: null, madeRuns: 0, earlierMessageId: null },
    ...{ isQueueing: false, deadLettersInARow: 0 },
  },
};

test("runs of schedules are counted beside messages, and are never overdue", async () => {
  const late = { ...hourly, nextRunTime: noon - 5 * hour };
  const { answer, walked } = scene({ schedules: [hourly, late], pages: 3 });
  const { items, overdue, runsExact } = await answer(1);
  expect(items.slice(0, 3).map(({ runs }) => runs)).toEqual([0, 6, 6]);
  expect([overdue, runsExact]).toEqual([1, true]);
  expect(walked.map(({ after }) => after)).toEqual([null, "1", "2"]);
  await answer(1, "b", { targetId: "t" });
  expect(walked[3]).toEqual({ accountId: "b", targetId: "t", after: null });
});

test("schedules without an end do not keep messages from being exact", async () => {
  const { answer, pass, walked } = scene({ schedules: [hourly], pages: Infinity });
  const first = await answer(1);
  expect(first).toMatchObject({ exact: true, runsExact: false, counting: true, tookMs: 500 });
  const { runs } = first.items[1]!;
  await pass(10_000);
  expect((await answer(1)).items[1]!.runs).toBeGreaterThan(runs);
  // The node works for it for a bounded time.
  await pass(20_000);
  await answer(1);
  await pass(12_000);
  const known = await answer(1);
  expect(known).toMatchObject({ exact: true, runsExact: false, counting: false });
  expect(walked.length).toBeLessThan(1_100);
});

test("a zone that this node does not know leaves the rest as it is", async () => {
  const strange = { ...hourly, timeZone: "Moon/Crater" };
  const { answer } = scene({ schedules: [strange, hourly] });
  const { items, exact, runsExact } = await answer(1);
  expect([items[1]!.runs, exact, runsExact]).toEqual([1, true, false]);
});

test("if the schedules cannot be read, it is refused, and nothing goes on", async () => {
  const { answer, pass, trouble, asked } = scene({ slices: 1_000_000 });
  trouble.schedules = new StoreUnavailable("gone");
  await expect(answer(1)).rejects.toThrow(StoreUnavailable);
  await pass(1_000);
  const counted = asked.length;
  await pass(10_000);
  expect(asked).toHaveLength(counted);
});

test("a node looks at something else after a few milliseconds of computing", async () => {
  let now = 0;
  const slices: number[] = [];
  const dense = { ...hourly, cron: ["* * * * * *"], nextRunTime: noon + 1_000 };
  const source = runsOfSchedules({
    store: { walkSchedules: async () => ({ schedules: [dense], reached: null }) },
    timeZones: new TimeZones(),
    // Each look at the clock takes one millisecond.
    clock: { monotonic: () => now++ },
    timers: { after: (_ms, callback) => (queueMicrotask(callback), { cancel: () => {} }) },
    runsInTurn: new PlacesInTurn(runPlaces),
    stopping: new AbortController().signal,
  });
  const found = (counts: readonly number[]): void => void slices.push(counts[0]!);
  const request = { accountId: "a", targetId: null, edges: [noon, noon + hour / 60] };
  expect(await source.count(request, { found, isOver: () => false })).toBe(true);
  expect(slices.reduce((sum, count) => sum + count, 0)).toBe(59);
  expect(Math.max(...slices)).toBeLessThanOrEqual(5);
});
