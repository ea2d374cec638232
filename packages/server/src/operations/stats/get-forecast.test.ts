import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Caller } from "../../domain/access.ts";
import { RequestLimited } from "../../domain/refusals.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { StoreUnavailable } from "../../storage/store.ts";
import type { CountRequest, CountSlice } from "../../storage/store.ts";
import { getForecast } from "./get-forecast.ts";
import { slicePlaces } from "./look-in-slices.ts";
import { RememberedLooks } from "./remembered-looks.ts";

const noon = Date.UTC(2026, 10, 18, 12);
const hour = 3_600_000;
const day = 24 * hour;

/** Forecasts over a store whose every slice takes `sliceMs`, in a time that the test lets pass. */
function scene({ slices = 1, sliceMs = 10 } = {}) {
  let now = 0;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  const after = (delayMs: number, callback: () => void) => {
    const timer = { at: now + Math.max(0, delayMs), callback };
    timers.push(timer);
    return { cancel: () => void (timers = timers.filter((other) => other !== timer)) };
  };
  const wait = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));
  const asked: CountRequest[] = [];
  const trouble: { store?: Error } = {};
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
    },
    clock,
    timers: { after },
    slicesInTurn: new PlacesInTurn(slicePlaces),
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
  const { items, exact, counting, overdue } = await answer(1);
  expect({ exact, counting, overdue }).toEqual({ exact: true, counting: false, overdue: 1 });
  expect(items[0]).toEqual({ time: noon, messages: 3 });
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
