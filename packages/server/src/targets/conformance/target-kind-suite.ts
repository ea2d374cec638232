import { describe, expect, onTestFinished, test } from "vitest";
import type { AttemptReport } from "../../domain/attempt.ts";
import type { TargetSettings } from "../../domain/target.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Delivery, TargetKind } from "../target-kind.ts";
import { testKindSettings, textsOf } from "./settings-suite.ts";
import type { Behaviour, ConformanceReceiver, ConformanceSubject } from "./subject.ts";

const accountId = "acc_1";
const timeoutMs = 400;
/** Far less than the 60 s that these tests give the attempt, and far more than a busy machine needs. */
const marginMs = 20_000;

const hostile: readonly Behaviour[] = [
  "rejects",
  "is-not-there",
  "never-answers",
  "vanishes",
  "talks-nonsense",
];

/** What every kind of target promises to the operations and to the engine, whatever protocol it uses. */
export function testTargetKind<Settings extends TargetSettings>(
  name: string,
  subject: ConformanceSubject<Settings>,
): void {
  function open(): TargetKind<Settings> {
    const target = subject.create();
    onTestFinished(() => target.close());
    return target;
  }

  /**
   * Returns a function that starts a delivery to the receiver. Its settings have been completed, sealed and
   * opened like those of a new target.
   */
  async function prepare(
    target: TargetKind<Settings>,
    { given }: ConformanceReceiver,
    rest: Partial<Delivery<Settings>> = {},
  ): Promise<() => Promise<AttemptReport>> {
    const { settings, problems } = await target.complete(given, accountId);
    expect(problems).toEqual([]);
    const delivery = {
      accountId,
      messageId: "msg_1",
      targetId: "target-1",
      settings,
      overrides: null,
      secrets: subject.secrets,
      payload: Buffer.from("payload"),
      attemptNumber: 1,
      originalDeliveryTime: systemClock.now(),
      schedule: null,
      startTime: systemClock.now(),
      traceParent: null,
      signal: new AbortController().signal,
      ...rest,
    };
    return async () => {
      const report = await target.deliver(delivery);
      expect(["DELIVERED", ...Object.keys(target.failures)]).toContain(report.outcome);
      return report;
    };
  }

  async function send(...args: Parameters<typeof prepare>): Promise<AttemptReport> {
    const start = await prepare(...args);
    return start();
  }

  testKindSettings(name, subject);

  describe(`target kind ${name}`, () => {
    test("has its name, and signs if it has secrets", () => {
      expect(open()).toMatchObject({ kind: name, signs: subject.secrets !== null });
    });

    test.each([
      ["text", "hello"],
      ["nothing", ""],
      ["NUL and line separators", "a\u0000b\u2028c\r\nd"],
      ["61,440 characters of four bytes", "😀".repeat(61_440)],
    ])("delivers %s byte for byte, under its message id", async (_what, text) => {
      const receiver = await subject.receive("accepts", 5_000);
      const payload = Buffer.from(text);
      const report = await send(open(), receiver, { payload });
      expect(report).toMatchObject({ outcome: "DELIVERED", error: null, retryAfterMs: null });
      const [received] = receiver.received();
      expect(receiver.received()).toHaveLength(1);
      expect(received?.messageId).toBe("msg_1");
      expect(payload.equals(received?.payload ?? Buffer.from("missing"))).toBe(true);
    });

    test("keeps concurrent deliveries apart", async () => {
      const receiver = await subject.receive("accepts", 5_000);
      const target = open();
      const numbers = Array.from({ length: 30 }, (_, index) => index);
      const reports = await Promise.all(
        numbers.map((number) =>
          send(target, receiver, {
            messageId: `msg_${number}`,
            payload: Buffer.from(`payload ${number}`),
          }),
        ),
      );
      expect(reports.every(({ outcome }) => outcome === "DELIVERED")).toBe(true);
      const texts = receiver
        .received()
        .map(({ messageId, payload }) => `${messageId} ${Buffer.from(payload).toString()}`);
      expect(texts.toSorted()).toEqual(numbers.map((n) => `msg_${n} payload ${n}`).toSorted());
    });

    test.each(hostile)("reports a failure in time when the receiver %s", async (behaviour) => {
      const receiver = await subject.receive(behaviour, timeoutMs);
      const from = systemClock.monotonic();
      const report = await send(open(), receiver);
      expect(systemClock.monotonic() - from).toBeLessThan(timeoutMs + marginMs);
      expect(report.outcome).not.toBe("DELIVERED");
      expect(report.error).toBeTruthy();
    });

    test("reports silence as a timeout, and not too early", async () => {
      const receiver = await subject.receive("never-answers", timeoutMs);
      const from = systemClock.monotonic();
      const report = await send(open(), receiver);
      expect(report.outcome).toBe("TIMEOUT");
      // Timers count whole milliseconds.
      expect(systemClock.monotonic() - from).toBeGreaterThan(timeoutMs - 2);
    });

    test("does not wait for the end of an endless answer, and keeps little of it", async () => {
      const receiver = await subject.receive("never-stops-talking", timeoutMs);
      const from = systemClock.monotonic();
      const report = await send(open(), receiver);
      expect(systemClock.monotonic() - from).toBeLessThan(timeoutMs + marginMs);
      expect(report.response?.length ?? 0).toBeLessThanOrEqual(1_024);
    });

    test.each(["before", "during"])("ends at once on an abort %s it", async (when) => {
      const receiver = await subject.receive("never-answers", 60_000);
      const stopping = new AbortController();
      if (when === "before") stopping.abort();
      const start = await prepare(open(), receiver, { signal: stopping.signal });
      const from = systemClock.monotonic();
      const attempt = start();
      stopping.abort();
      const report = await attempt;
      expect(report.outcome).toBe("CONNECTION_FAILED");
      expect(report.error).toContain("stopped");
      expect(systemClock.monotonic() - from).toBeLessThan(marginMs);
    });

    test("reports the answer when the signal aborts after it", async () => {
      const receiver = await subject.receive("accepts-and-stalls", 60_000);
      const stopping = new AbortController();
      const known = receiver.outcomeKnown();
      const start = await prepare(open(), receiver, { signal: stopping.signal });
      const from = systemClock.monotonic();
      const attempt = start();
      await known;
      stopping.abort();
      expect(await attempt).toMatchObject({ outcome: "DELIVERED", error: null });
      expect(systemClock.monotonic() - from).toBeLessThan(marginMs);
    });

    test("puts nothing confidential into any report", async () => {
      const secret = subject.secrets?.current.replace(/^whsec_/, "");
      const hidden = [secret, ...textsOf(subject.confidential)].filter(
        (text) => text !== undefined,
      );
      for (const behaviour of hostile) {
        const { given, ...receiver } = await subject.receive(behaviour, timeoutMs);
        const all = { ...receiver, given: { ...given, ...subject.confidential } };
        const report = JSON.stringify(await send(open(), all));
        for (const text of hidden) expect(report).not.toContain(text);
      }
    });

    test("fails the deliveries under way when it closes, and can close twice", async () => {
      const receiver = await subject.receive("never-answers", 60_000);
      const target = open();
      const start = await prepare(target, receiver);
      const attempt = start();
      await target.close();
      expect((await attempt).outcome).not.toBe("DELIVERED");
      await target.close();
      expect((await start()).outcome).not.toBe("DELIVERED");
    });
  });
}
