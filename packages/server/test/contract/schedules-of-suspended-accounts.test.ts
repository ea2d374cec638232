import { expect, test, vi } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import type { TestAccount } from "../support/operated-service.ts";
import { patiently } from "../support/shared-service.ts";
import { onEachStore } from "./support/on-each-store.ts";
import { scheduleCalls } from "./support/schedules.ts";

type Run = Pick<ApiAnswer["body"], "runTime" | "trigger" | "outcome" | "reason">;

const modes = ["none", "last", "all"] as const;

onEachStore((makeService) => {
  const service = makeService();
  const schedules = scheduleCalls(service);

  async function accountWithSchedules(): Promise<TestAccount> {
    const account = await service.account();
    const url = `${service.receiver.url}/${account.accountId}`;
    await account.ok("POST", "/v1/targets", { targetId: "t", url });
    for (const mode of modes) {
      const timing = { everyMs: 1_000, catchUp: { mode } };
      const body = { scheduleId: mode, targetId: "t", payload: mode, ...timing };
      const answer = await service.api("POST", "/v1/schedules", { key: account.key, body });
      expect(answer.status, answer.text).toBe(201);
    }
    return account;
  }

  /** A schedule of another account, every second: what it does tells the time, and whether runs are made. */
  async function startOther() {
    const target = await service.target();
    const timing = { everyMs: 1_000, catchUp: { mode: "none" } };
    const { scheduleId } = await schedules.create({
      ...{ targetId: target.targetId, payload: "other", ...timing },
    });
    return {
      passes: (time: number): Promise<void> =>
        vi.waitFor(() => {
          const latest = target.receipts().at(-1)?.headers["postdate-run-time"] as string;
          expect(Date.parse(latest)).toBeGreaterThanOrEqual(time);
        }, patiently),
      hasMissed: async (): Promise<boolean> =>
        (await schedules.runs(scheduleId)).some(({ outcome }) => outcome === "MISSED"),
      stop: () => service.ok("DELETE", `/v1/schedules/${scheduleId}`),
    };
  }

  /** Suspends the account until runs are too late to be in time, and resumes it. */
  async function suspendForAWhile({ accountId }: TestAccount, passes: (time: number) => unknown) {
    const suspended = await service.operated("POST", `/v1/accounts/${accountId}/suspend`);
    // Runs are made five seconds ahead, and in time for ten.
    await passes(Date.parse(suspended.suspensionTime) + 17_000);
    const resumedAt = Date.now();
    await service.operated("POST", `/v1/accounts/${accountId}/resume`);
    return resumedAt;
  }

  /** The runs of a schedule once it has made one after this time, the oldest first. */
  const runsAfter = (account: TestAccount, scheduleId: string, time: number): Promise<Run[]> =>
    vi.waitFor(async () => {
      const { items } = await account.ok("GET", `/v1/schedules/${scheduleId}/runs?limit=100`);
      const isMade = ({ runTime, outcome }: Run): boolean =>
        outcome === "CREATED" && Date.parse(runTime) > time;
      if (!items.some(isMade)) throw new Error("no run yet");
      return items.toReversed();
    }, patiently);

  const timesOf = (runs: readonly Run[]): number[] =>
    runs.map(({ runTime }) => Date.parse(runTime));

  test("when it is resumed its schedules go on at once, and catch up as they say", async () => {
    for (;;) {
      const account = await accountWithSchedules();
      const other = await startOther();
      const resumedAt = await suspendForAWhile(account, other.passes);
      const [none, last, all] = (await Promise.all(
        modes.map((mode) => runsAfter(account, mode, resumedAt + 2_000)),
      )) as [Run[], Run[], Run[]];
      const isTooSlow = await other.hasMissed();
      await other.stop();
      for (const mode of modes) await account.ok("DELETE", `/v1/schedules/${mode}`);
      // The machine was, and nobody made runs in time.
      if (isTooSlow) continue;

      for (const runs of [none, last, all]) {
        const times = timesOf(runs);
        expect(times).toEqual(times.map((_, index) => times[0]! + index * 1_000));
        const later = runs.filter(({ runTime }) => Date.parse(runTime) > resumedAt);
        for (const run of later) expect(run).toMatchObject({ outcome: "CREATED", trigger: "TIME" });
      }
      const missed = none.filter(({ outcome }) => outcome === "MISSED");
      expect(missed.length).toBeGreaterThan(0);
      for (const run of missed) expect(run.reason).toBe("NOT_CAUGHT_UP");
      const caughtUp = (runs: readonly Run[]): Run[] =>
        runs.filter(({ trigger, outcome }) => trigger === "CATCH_UP" && outcome === "CREATED");
      expect(caughtUp(none)).toEqual([]);
      expect(caughtUp(last)).toHaveLength(1);
      expect(caughtUp(all).length).toBeGreaterThan(0);
      expect(all.filter(({ outcome }) => outcome !== "CREATED")).toEqual([]);
      return;
    }
  });
});
