import { afterEach, expect, test } from "vitest";
import type { Store } from "../store.ts";
import { account, farFuture, limitMessages, newTarget, note } from "./harness.ts";

export interface ClockedStore {
  readonly store: Pick<
    Store,
    | "ensureAccount"
    | "createTarget"
    | "scheduleMessages"
    | "getUsage"
    | "updateAccount"
    | "removeExpired"
  >;
  /** Sets the store's clock. */
  readonly setNow: (time: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What a store must do at the end of a month. The test sets the clock by hand. */
export function monthSuite(openAt: (time: number) => Promise<ClockedStore>): void {
  const opened: ClockedStore[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });
  const december = Date.UTC(2026, 11, 1);

  async function openLimited(time: number, limit: number | null) {
    const clocked = await openAt(time);
    opened.push(clocked);
    const { store } = clocked;
    await store.ensureAccount(account, "One");
    await store.createTarget(newTarget("t"), note());
    await limitMessages(store, account, limit);
    const schedule = async (key: string | null = null): Promise<string> => {
      const [result] = await store.scheduleMessages([
        {
          accountId: account,
          targetId: "t",
          deliveryTime: farFuture,
          options: null,
          payload: "",
          idempotency: key === null ? null : { key, fingerprint: "f" },
        },
      ]);
      return result!.kind;
    };
    return { ...clocked, schedule };
  }

  test("a month's allowance ends with its last millisecond, and the next month has a full one", async () => {
    const { store, schedule, setNow } = await openLimited(december - 1, 2);
    expect([await schedule(), await schedule(), await schedule("k")]).toEqual([
      "scheduled",
      "scheduled",
      "over-quota",
    ]);
    expect(await store.getUsage(account)).toEqual({ month: "2026-11", used: 2, limit: 2 });
    await setNow(december);
    expect(await store.getUsage(account)).toEqual({ month: "2026-12", used: 0, limit: 2 });
    // The store did not keep the key of the refused call.
    expect([await schedule("k"), await schedule(), await schedule()]).toEqual([
      "scheduled",
      "scheduled",
      "over-quota",
    ]);
    expect([await schedule("k"), await schedule()]).toEqual(["repeated", "over-quota"]);
    expect(await store.getUsage(account)).toEqual({ month: "2026-12", used: 2, limit: 2 });
  });

  test("an unused allowance does not move to the next month", async () => {
    const { store, schedule, setNow } = await openLimited(december - 1, 3);
    await schedule();
    await setNow(december);
    expect([await schedule(), await schedule()]).toEqual(["scheduled", "scheduled"]);
    expect(await store.getUsage(account)).toEqual({ month: "2026-12", used: 2, limit: 3 });
    await setNow(december - 1);
    expect(await store.getUsage(account)).toEqual({ month: "2026-11", used: 1, limit: 3 });
  });

  test("a limit set in one month holds in the next", async () => {
    const { store, schedule, setNow } = await openLimited(december - 1, null);
    await schedule();
    await limitMessages(store, account, 1);
    expect(await schedule()).toBe("over-quota");
    await setNow(december);
    expect([await schedule(), await schedule()]).toEqual(["scheduled", "over-quota"]);
  });

  test("a limit holds in every month, also in a later one after the clock was set back", async () => {
    const { store, schedule, setNow } = await openLimited(december, null);
    await schedule();
    await setNow(december - 1);
    await limitMessages(store, account, 2);
    await setNow(december);
    expect([await schedule(), await schedule()]).toEqual(["scheduled", "over-quota"]);
  });

  test("a month's usage is removed after more than a year, not before", async () => {
    const { store, schedule, setNow } = await openLimited(december - 1, null);
    await schedule();
    await setNow(Date.UTC(2027, 10, 30));
    expect((await store.removeExpired(10)).removed).toBe(0);
    await setNow(december - 1);
    expect((await store.getUsage(account))?.used).toBe(1);
    await setNow(Date.UTC(2028, 0, 31));
    expect((await store.removeExpired(10)).removed).toBe(1);
    await setNow(december - 1);
    expect((await store.getUsage(account))?.used).toBe(0);
  });
}
