import { afterEach, expect, test, vi } from "vitest";
import { systemTimers } from "../../platform/timers.ts";
import { LargeBodies } from "./large-bodies.ts";
import { openTestApi, operatorKey } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";

/** Time that passes only when the test says so. */
function heldTime() {
  const waiting: { readonly delayMs: number; readonly callback: () => void }[] = [];
  let now = 0;
  return {
    clock: { now: () => now, monotonic: () => now },
    timers: {
      after(delayMs: number, callback: () => void) {
        waiting.push({ delayMs, callback });
        return { cancel: () => {} };
      },
    },
    pass: (ms: number) => void (now += ms),
    pauses: () => waiting.map(({ delayMs }) => delayMs),
    end: () => waiting.shift()!.callback(),
  };
}

test("large bodies are worked on one at a time, with a pause as long as the work", () => {
  const { clock, timers, pass, pauses, end } = heldTime();
  const bodies = new LargeBodies({ clock, timers });
  const done: string[] = [];
  const work = (name: string, ms: number) => () => {
    pass(ms);
    done.push(name);
  };
  bodies.inTurn("a", work("a1", 80));
  bodies.inTurn("a", work("a2", 30));
  expect([done, pauses()]).toEqual([["a1"], [80]]);
  end();
  expect([done, pauses()]).toEqual([["a1", "a2"], [30]]);
  end();
  expect(pauses()).toEqual([]);
  bodies.inTurn("a", work("a3", 1));
  expect([done, pauses()]).toEqual([["a1", "a2", "a3"], [0]]);
});

test("accounts take turns with their large bodies", () => {
  const { clock, timers, end } = heldTime();
  const bodies = new LargeBodies({ clock, timers });
  const done: string[] = [];
  for (const name of ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]) {
    bodies.inTurn(name[0]!, () => done.push(name));
  }
  while (done.length < 7) end();
  expect(done).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("work that fails does not stop the next", () => {
  const { clock, timers, end } = heldTime();
  const bodies = new LargeBodies({ clock, timers });
  const done: string[] = [];
  const fail = () =>
    bodies.inTurn("a", () => {
      throw new Error("a bug");
    });
  expect(fail).toThrow("a bug");
  bodies.inTurn("a", () => done.push("next"));
  end();
  expect(done).toEqual(["next"]);
});

let api: TestApi | undefined;
afterEach(() => api?.close());

/** Timers that fire only when the test says so. */
function heldTimers() {
  const held: (() => void)[] = [];
  return {
    timers: {
      after(delayMs: number, callback: () => void) {
        held.push(callback);
        return systemTimers.after(delayMs + 3_600_000, () => {});
      },
    },
    release: () => held.splice(0).forEach((callback) => callback()),
  };
}

test.each([
  ["few long messages", 20, 60_000],
  ["many short messages", 300, 1],
])(
  "a second batch of %s waits until other work has run, and a small one does not wait",
  async (_, batchLength, payloadLength) => {
    const { timers, release } = heldTimers();
    api = await openTestApi({ timers });
    await api.call({
      method: "POST",
      url: "/v1/targets",
      body: { targetId: "t", url: "http://127.0.0.1:1/" },
    });
    const answered: string[] = [];
    const payload = "y".repeat(payloadLength);
    const send = async (name: string, count: number, text: string): Promise<void> => {
      const message = { targetId: "t", deliveryTime: "2999-01-01T00:00:00Z", payload: text };
      const answer = await api!.call({
        method: "POST",
        url: "/v1/messages/batch",
        body: { messages: Array.from({ length: count }, () => message) },
      });
      expect(answer.statusCode).toBe(200);
      answered.push(name);
    };
    await send("first", batchLength, payload);
    const second = send("second", batchLength, payload);
    await send("small", 1, "y");
    expect(answered).toEqual(["first", "small"]);
    release();
    await second;
    expect(answered).toEqual(["first", "small", "second"]);
  },
);

test("large batches of one account do not hold up those of another", async () => {
  const { timers, release } = heldTimers();
  api = await openTestApi({ timers });
  const answered: string[] = [];
  const makeAccount = async (name: string) => {
    const asking = { method: "POST", url: "/v1/accounts", body: {}, key: operatorKey } as const;
    const { key } = (await api!.call(asking)).json<{ key: string }>();
    const body = { messages: [], padding: " ".repeat(1_100_000) };
    return async (): Promise<void> => {
      await api!.call({ method: "POST", url: "/v1/messages/batch", body, key });
      answered.push(name);
    };
  };
  const [one, other] = [await makeAccount("one"), await makeAccount("other")];
  await one();
  const waiting = [one(), one(), one(), other()];
  await api.call({ method: "GET", url: "/v1/targets" });
  while (answered.length < 5) {
    const before = answered.length;
    release();
    await vi.waitUntil(() => answered.length > before, { timeout: 60_000, interval: 5 });
  }
  await Promise.all(waiting);
  expect(answered).toEqual(["one", "one", "other", "one", "one"]);
});
