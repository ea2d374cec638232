import { percentile } from "../figures/medians.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench, Phase } from "../phase.ts";
import { addTargets, startService } from "../service.ts";
import type { Service } from "../service.ts";
import { leadMs, steadyLateness } from "./steady-lateness.ts";

/** The load that disturbs other targets, and the number of those targets. */
interface Trouble {
  readonly name: string;
  readonly about: string;
  /** The receiver never answers the group `hang`. */
  readonly group: "hang" | "heavy";
  readonly troubled: number;
  readonly due: number;
  readonly others: number;
  readonly perSecond: number;
}

const othersGroup = "others";
/** The other targets have messages due from this long before the spike. */
const aheadMs = 1_000;

export const hangingTarget = isolationPhase({
  name: "hanging",
  about: "a target that hangs with 100,000 due, and ten others",
  group: "hang",
  troubled: 1,
  due: 100_000,
  others: 10,
  perSecond: 200,
});

export const unevenTargets = isolationPhase({
  name: "uneven",
  about: "1,000 targets: ten have 20,000 due at once, the others a few each",
  group: "heavy",
  troubled: 10,
  due: 20_000,
  others: 990,
  perSecond: 200,
});

function isolationPhase(trouble: Trouble): Phase {
  return {
    name: trouble.name,
    about: trouble.about,
    boundMs: () => 240_000,
    async measure(bench) {
      const { options, say } = bench;
      const service = await startService(bench);
      const { group, troubled, others, perSecond } = trouble;
      const troubledIds = await addTargets(bench, service, { group, count: troubled });
      const otherIds = await addTargets(bench, service, { group: othersGroup, count: others });
      const traffic = { urls: service.urls, targetIds: otherIds, group: othersGroup, perSecond };
      say("warming up");
      await steadyLateness(bench, { ...traffic, seconds: 4 });
      const dueAt = await scheduleTrouble(bench, service, trouble, troubledIds);
      say("measuring");
      const lateMs = await steadyLateness(bench, {
        ...traffic,
        startAt: dueAt - aheadMs,
        seconds: options.quick ? 6 : 15,
      });
      const name = (what: string): string => `${trouble.name}: others' lateness, ${what}`;
      return [
        { name: name("p50"), unit: "ms", value: percentile(lateMs, 0.5) },
        {
          name: name("p99"),
          unit: "ms",
          value: percentile(lateMs, 0.99),
          wanted: wantedOf(options, "othersP99"),
        },
        { name: name("largest"), unit: "ms", value: percentile(lateMs, 1) },
      ];
    },
  };
}

/**
 * Schedules all messages for one instant and returns it. It is far enough ahead for the other targets
 * to begin.
 */
async function scheduleTrouble(
  { load, say }: Bench,
  { urls }: Service,
  { due }: Trouble,
  targetIds: readonly string[],
): Promise<number> {
  for (let waitMs = 10_000; waitMs <= 80_000; waitMs *= 2) {
    const dueAt = Date.now() + waitMs;
    say(`scheduling ${due.toLocaleString("en")} that are due at one instant`);
    const { endedAt } = await load.call("scheduleAt", { urls, targetIds, count: due, dueAt });
    if (endedAt + leadMs + aheadMs + 500 < dueAt) return dueAt;
  }
  throw new Error("scheduling takes longer than the messages can wait");
}
