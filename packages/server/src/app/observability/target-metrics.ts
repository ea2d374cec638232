import { Counter } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import { attemptOutcomes } from "../../domain/attempt.ts";
import type { AttemptOutcome } from "../../domain/attempt.ts";
import type { AttemptEvent } from "../../engine/delivery/delivery-observer.ts";
import type { Clock } from "../../platform/clock.ts";

export interface TargetMetricsOptions {
  /** How many targets have series. */
  readonly most: number;
  readonly clock: Pick<Clock, "monotonic">;
}

interface ShownTarget {
  readonly labels: { readonly account: string; readonly target: string };
  readonly outcomes: Map<AttemptOutcome, number>;
  attemptMs: number;
  latenessMs: number;
  /** Attempts since the last comparison. */
  recent: number;
  /** Attempts, those of earlier comparisons with less weight. */
  weight: number;
}

interface OtherTarget {
  readonly labels: ShownTarget["labels"];
  recent: number;
}

type Event = Pick<AttemptEvent, "accountId" | "targetId" | "targetKey" | "attempt" | "latenessMs">;

const compareEveryMs = 10_000;
/** Beside those that are shown. Further targets wait for the next comparison. */
const mostOthers = 10_000;
const labelNames = ["account", "target"] as const;

/**
 * Series of the targets with the most attempts lately. Targets are compared now and then: a busier one takes the
 * place of the least busy that is shown, and begins at zero.
 */
export class TargetMetrics {
  readonly #options: TargetMetricsOptions;
  readonly #shown = new Map<number, ShownTarget>();
  readonly #others = new Map<number, OtherTarget>();
  #compareAt: number;

  constructor(registry: Registry, options: TargetMetricsOptions) {
    this.#options = options;
    this.#compareAt = options.clock.monotonic() + compareEveryMs;
    const registers = [registry];
    const shown = (): Iterable<ShownTarget> => {
      this.#compareIfTime();
      return this.#shown.values();
    };
    void new Counter({
      name: "postdate_target_attempts_total",
      help: "Delivery attempts by `account`, `target` and `outcome`, of the `--metrics-per-target` busiest targets, since each of them became one.",
      labelNames: [...labelNames, "outcome"],
      registers,
      collect() {
        this.reset();
        for (const { labels, outcomes } of shown()) {
          for (const [outcome, count] of outcomes) this.inc({ ...labels, outcome }, count);
        }
      },
    });
    void new Counter({
      name: "postdate_target_attempt_seconds_total",
      help: "How long these attempts took, added up, by `account` and `target`.",
      labelNames: [...labelNames],
      registers,
      collect() {
        this.reset();
        for (const { labels, attemptMs } of shown()) this.inc({ ...labels }, attemptMs / 1_000);
      },
    });
    void new Counter({
      name: "postdate_target_lateness_seconds_total",
      help: "How late these attempts began, added up, by `account` and `target`.",
      labelNames: [...labelNames],
      registers,
      collect() {
        this.reset();
        for (const { labels, latenessMs } of shown()) this.inc({ ...labels }, latenessMs / 1_000);
      },
    });
  }

  attemptEnded({ accountId, targetId, targetKey, attempt, latenessMs }: Event): void {
    this.#compareIfTime();
    let shown = this.#shown.get(targetKey);
    if (shown === undefined) {
      const other = this.#others.get(targetKey);
      const labels = other?.labels ?? { account: accountId, target: targetId };
      if (this.#shown.size >= this.#options.most) {
        if (other !== undefined) other.recent++;
        else if (this.#others.size < mostOthers) this.#others.set(targetKey, { labels, recent: 1 });
        return;
      }
      shown = this.#show(targetKey, labels, 0);
    }
    shown.recent++;
    shown.outcomes.set(attempt.outcome, shown.outcomes.get(attempt.outcome)! + 1);
    shown.attemptMs += attempt.endTime - attempt.startTime;
    shown.latenessMs += Math.max(0, latenessMs);
  }

  #show(targetKey: number, labels: ShownTarget["labels"], weight: number): ShownTarget {
    const outcomes = new Map(attemptOutcomes.map((outcome) => [outcome, 0]));
    const shown = { labels, outcomes, attemptMs: 0, latenessMs: 0, recent: 0, weight };
    this.#shown.set(targetKey, shown);
    return shown;
  }

  #compareIfTime(): void {
    const now = this.#options.clock.monotonic();
    if (now < this.#compareAt) return;
    this.#compareAt = now + compareEveryMs;
    for (const shown of this.#shown.values()) {
      shown.weight = shown.weight / 2 + shown.recent;
      shown.recent = 0;
    }
    const leastBusy = [...this.#shown].toSorted(([, one], [, two]) => one.weight - two.weight);
    const busiest = [...this.#others].toSorted(([, one], [, two]) => two.recent - one.recent);
    for (const [place, [targetKey, { labels, recent }]] of busiest.entries()) {
      const replaced = leastBusy[place];
      if (replaced === undefined || replaced[1].weight >= recent) break;
      this.#shown.delete(replaced[0]);
      this.#show(targetKey, labels, recent);
    }
    this.#others.clear();
  }
}
