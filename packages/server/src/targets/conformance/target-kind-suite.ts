import { describe, expect, onTestFinished, test } from "vitest";
import type { SigningSecrets, TargetKindName, TargetSettings } from "../../domain/target.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Delivery, TargetKind } from "../target-kind.ts";

/** What the other side of a delivery does. */
export type Behaviour =
  | "accepts"
  | "rejects"
  | "is-not-there"
  | "never-answers"
  | "vanishes"
  | "talks-nonsense"
  | "never-stops-talking"
  /** Says that it has accepted, and does not finish the sentence. */
  | "accepts-and-stalls";

export interface ConformanceReceiver<Kind extends TargetKindName> {
  readonly settings: TargetSettings[Kind];
  /** What has arrived so far, in order. */
  received(): readonly { readonly messageId: string; readonly payload: Uint8Array }[];
  /** Resolves once the sender knows whether its next delivery was accepted. */
  outcomeKnown(): Promise<void>;
}

export interface ConformanceSubject<Kind extends TargetKindName> {
  create(): TargetKind<Kind>;
  /** Starts a receiver that behaves so, and ends with the test. */
  receive(behaviour: Behaviour, timeoutMs: number): Promise<ConformanceReceiver<Kind>>;
  readonly secrets: SigningSecrets;
  readonly badSettings: readonly TargetSettings[Kind][];
}

const accountId = "acc_1";
const timeoutMs = 400;
/** Far below the 60 s that those tests give the attempt, far above what a busy machine needs. */
const marginMs = 20_000;

const hostile: readonly Behaviour[] = [
  "rejects",
  "is-not-there",
  "never-answers",
  "vanishes",
  "talks-nonsense",
];

/** What every kind of target promises to the engine, whatever it speaks. */
export function testTargetKind<Kind extends TargetKindName>(
  name: Kind,
  subject: ConformanceSubject<Kind>,
): void {
  function open(): TargetKind<Kind> {
    const target = subject.create();
    onTestFinished(() => target.close());
    return target;
  }

  function delivery(
    settings: TargetSettings[Kind],
    rest: Partial<Delivery<Kind>> = {},
  ): Delivery<Kind> {
    return {
      accountId,
      messageId: "msg_1",
      targetId: "target-1",
      settings,
      secrets: subject.secrets,
      payload: Buffer.from("payload"),
      attemptNumber: 1,
      originalDeliveryTime: systemClock.now(),
      startTime: systemClock.now(),
      signal: new AbortController().signal,
      ...rest,
    };
  }

  describe(`target kind ${name}`, () => {
    test("goes by its name", () => {
      expect(open().kind).toBe(name);
    });

    test("finds nothing wrong with settings that work", async () => {
      const { settings } = await subject.receive("accepts", timeoutMs);
      expect(await open().check(settings, accountId)).toEqual([]);
    });

    test("says what is wrong with settings that cannot work, and which field it is", async () => {
      expect(subject.badSettings.length).toBeGreaterThan(0);
      for (const settings of subject.badSettings) {
        const problems = await open().check(settings, accountId);
        expect(problems).not.toEqual([]);
        for (const { code, field, message } of problems) {
          expect(code).toMatch(/^E-DI-(1001|3005)$/);
          expect(field).toBeTruthy();
          expect(message).toBeTruthy();
        }
      }
    });

    test.each([
      ["text", "hello"],
      ["nothing", ""],
      ["NUL and line separators", "a\u0000b\u2028c\r\nd"],
      ["61,440 characters of four bytes", "😀".repeat(61_440)],
    ])("delivers %s byte for byte, under its message id", async (_what, text) => {
      const receiver = await subject.receive("accepts", 5_000);
      const payload = Buffer.from(text);
      const report = await open().deliver(delivery(receiver.settings, { payload }));
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
          target.deliver(
            delivery(receiver.settings, {
              messageId: `msg_${number}`,
              payload: Buffer.from(`payload ${number}`),
            }),
          ),
        ),
      );
      expect(reports.every(({ outcome }) => outcome === "DELIVERED")).toBe(true);
      const texts = receiver
        .received()
        .map(({ messageId, payload }) => `${messageId} ${Buffer.from(payload).toString()}`);
      expect(texts.toSorted()).toEqual(numbers.map((n) => `msg_${n} payload ${n}`).toSorted());
    });

    test.each(hostile)("reports a failure in time when the other side %s", async (behaviour) => {
      const receiver = await subject.receive(behaviour, timeoutMs);
      const from = systemClock.monotonic();
      const report = await open().deliver(delivery(receiver.settings));
      expect(systemClock.monotonic() - from).toBeLessThan(timeoutMs + marginMs);
      expect(report.outcome).not.toBe("DELIVERED");
      expect(report.error).toBeTruthy();
    });

    test("calls silence a timeout, and not before its time", async () => {
      const receiver = await subject.receive("never-answers", timeoutMs);
      const from = systemClock.monotonic();
      const report = await open().deliver(delivery(receiver.settings));
      expect(report.outcome).toBe("TIMEOUT");
      // Timers count whole milliseconds.
      expect(systemClock.monotonic() - from).toBeGreaterThan(timeoutMs - 2);
    });

    test("is not held up by an answer without end, and keeps little of it", async () => {
      const receiver = await subject.receive("never-stops-talking", timeoutMs);
      const from = systemClock.monotonic();
      const report = await open().deliver(delivery(receiver.settings));
      expect(systemClock.monotonic() - from).toBeLessThan(timeoutMs + marginMs);
      expect(report.response?.length ?? 0).toBeLessThanOrEqual(1_024);
    });

    test.each(["before", "during"])("ends at once when the signal aborts %s it", async (when) => {
      const receiver = await subject.receive("never-answers", 60_000);
      const stopping = new AbortController();
      if (when === "before") stopping.abort();
      const from = systemClock.monotonic();
      const attempt = open().deliver(delivery(receiver.settings, { signal: stopping.signal }));
      stopping.abort();
      const report = await attempt;
      expect(report.outcome).toBe("CONNECTION_FAILED");
      expect(report.error).toContain("stopped");
      expect(systemClock.monotonic() - from).toBeLessThan(marginMs);
    });

    test("reports what was answered when the signal aborts behind the answer", async () => {
      const receiver = await subject.receive("accepts-and-stalls", 60_000);
      const stopping = new AbortController();
      const known = receiver.outcomeKnown();
      const from = systemClock.monotonic();
      const attempt = open().deliver(delivery(receiver.settings, { signal: stopping.signal }));
      await known;
      stopping.abort();
      expect(await attempt).toMatchObject({ outcome: "DELIVERED", error: null });
      expect(systemClock.monotonic() - from).toBeLessThan(marginMs);
    });

    test("names no secret in any report", async () => {
      for (const behaviour of hostile) {
        const receiver = await subject.receive(behaviour, timeoutMs);
        const report = await open().deliver(delivery(receiver.settings));
        const secret = subject.secrets.current.replace(/^whsec_/, "");
        expect(JSON.stringify(report)).not.toContain(secret);
      }
    });

    test("closes with deliveries under way, which then fail, and can be closed twice", async () => {
      const receiver = await subject.receive("never-answers", 60_000);
      const target = open();
      const attempt = target.deliver(delivery(receiver.settings));
      await target.close();
      expect((await attempt).outcome).not.toBe("DELIVERED");
      await target.close();
      expect((await target.deliver(delivery(receiver.settings))).outcome).not.toBe("DELIVERED");
    });
  });
}
