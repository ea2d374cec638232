import { Registry } from "@prometheus-io/client";
import { expect, test } from "vitest";
import type { AttemptOutcome } from "../../domain/attempt.ts";
import { TargetMetrics } from "./target-metrics.ts";

function play(most: number) {
  let now = 0;
  const registry = new Registry();
  const metrics = new TargetMetrics(registry, { most, clock: { monotonic: () => now } });
  return {
    pass: (ms: number) => void (now += ms),
    attempts(targetKey: number, count: number, outcome: AttemptOutcome = "DELIVERED") {
      const attempt = { outcome, startTime: 1_000, endTime: 1_250 };
      for (let made = 0; made < count; made++) {
        metrics.attemptEnded({
          ...{ accountId: "acc", targetId: `t${targetKey}`, targetKey, latenessMs: 500 },
          attempt: attempt as never,
        });
      }
    },
    text: () => registry.metrics(),
    async shown(): Promise<string[]> {
      const lines = (await registry.metrics()).split("\n");
      const named = lines.map((line) => /_attempt_seconds_total\{.*target="(\w+)"/.exec(line)?.[1]);
      return named.filter((name) => name !== undefined).toSorted();
    },
  };
}

test("a target has its attempts by outcome, how long they took and how late they began", async () => {
  const { attempts, text } = play(2);
  attempts(1, 3);
  attempts(1, 1, "TIMEOUT");
  const lines = (await text()).split("\n");
  const labels = 'account="acc",target="t1"';
  for (const line of [
    `postdate_target_attempts_total{${labels},outcome="DELIVERED"} 3`,
    `postdate_target_attempts_total{${labels},outcome="TIMEOUT"} 1`,
    `postdate_target_attempts_total{${labels},outcome="BAD_STATUS"} 0`,
    `postdate_target_attempt_seconds_total{${labels}} 1`,
    `postdate_target_lateness_seconds_total{${labels}} 2`,
  ]) {
    expect(lines).toContain(line);
  }
});

test("never more targets are shown than are wanted, and busier ones take the places", async () => {
  const { attempts, shown, pass } = play(2);
  for (const targetKey of [1, 2, 3, 4]) attempts(targetKey, targetKey);
  expect(await shown()).toEqual(["t1", "t2"]);
  pass(10_000);
  expect(await shown()).toEqual(["t3", "t4"]);
});

test("a target that was busy stays for a while, and one that nobody uses goes", async () => {
  const { attempts, shown, pass } = play(1);
  attempts(1, 100);
  pass(10_000);
  attempts(2, 40);
  pass(10_000);
  expect(await shown()).toEqual(["t1"]);
  attempts(2, 40);
  pass(10_000);
  expect(await shown()).toEqual(["t2"]);
});
