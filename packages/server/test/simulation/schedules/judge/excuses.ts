import { endOf } from "../../../history/faults.ts";
import type { Fault } from "../../../history/faults.ts";
import type { ClockStep } from "../../../history/history.ts";
import { StoreClock } from "../../../history/store-clock.ts";
import type { Managed } from "../../callers/callers.ts";

/** Whether runs of an account may be late: nobody could make them in this period, by the store's clock. */
export interface Excuses {
  hold(accountId: string, from: number, until: number): boolean;
}

export interface ExcuseOptions {
  readonly faults: readonly Fault[];
  readonly managed: readonly Managed[];
  readonly clockSteps: readonly ClockStep[];
  /** The nodes that may make runs. */
  readonly makers: readonly string[];
}

interface Period {
  readonly from: number;
  readonly until: number;
}

/** A node joins again, and asks again after a failure, within this time. */
const recoveryMs = 20_000;
/** Within this time the schedules of an account go on after it was resumed. */
const resumedMs = 3_000;

export function excusesOf({ faults, managed, clockSteps, makers }: ExcuseOptions): Excuses {
  const clock = new StoreClock(clockSteps);
  const byStore = ({ from, until }: Period): Period => ({
    from: from + offAt(clockSteps, from),
    until: Math.max(until, clock.latest(from, until)),
  });
  const troubles = new Map(
    makers.map((maker) => [
      maker,
      faults
        .filter((fault) => "node" in fault && isOf(fault.node, maker))
        .map((fault) => byStore({ from: fault.at, until: endOf(fault) + recoveryMs })),
    ]),
  );
  const steps = clockSteps.map(({ at }) =>
    byStore({ from: at - recoveryMs, until: at + recoveryMs }),
  );
  const suspensions = suspensionsOf(managed);
  return {
    hold(accountId, from, until) {
      const overlaps = (period: Period): boolean => period.from <= until && period.until >= from;
      if (steps.some(overlaps)) return true;
      if ((suspensions.get(accountId) ?? []).map(byStore).some(overlaps)) return true;
      return [...troubles.values()].every((own) => own.some(overlaps));
    },
  };
}

function isOf(node: string | null, maker: string): boolean {
  return node === null || node.split(".")[0] === maker;
}

function offAt(steps: readonly ClockStep[], at: number): number {
  return steps.reduce((sum, step) => (step.at < at ? sum + step.byMs : sum), 0);
}

/**
 * From each call that may have suspended the account to the answer of the call that has resumed it. Of two calls at the
 * same instant nobody knows which came first.
 */
function suspensionsOf(managed: readonly Managed[]): Map<string, Period[]> {
  const suspensions = new Map<string, Period[]>();
  const ofAccounts = managed.filter(({ targetId }) => targetId === null);
  for (const [accountId, calls] of Map.groupBy(ofAccounts, (call) => call.accountId)) {
    const periods = calls
      .filter(({ change }) => change === "suspend")
      .map(({ askedAt, answeredAt }) => {
        const resumed = calls.find(
          (call) => call.change === "resume" && call.isCertain && call.askedAt > answeredAt,
        );
        const until = (resumed?.answeredAt ?? Infinity) + resumedMs;
        return { from: askedAt, until };
      });
    suspensions.set(accountId, periods);
  }
  return suspensions;
}
