import type { Caller } from "../../domain/access.ts";
import type { Attempt } from "../../domain/attempt.ts";
import { codes, RequestLimited, RequestRefused } from "../../domain/refusals.ts";
import type { Target } from "../../domain/target.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import type { BeginTestResult, Store, TargetTest } from "../../storage/store.ts";
import { openSecrets, openSettings } from "../../targets/sealed-target.ts";
import type { TargetKinds } from "../../targets/target-kind.ts";
import { limitReached, payloadProblem } from "../messages/message-draft.ts";
import { targetRef } from "./target-ref.ts";
import { targetNotFound } from "./target-view.ts";
import type { TestPlaces } from "./test-places.ts";

export interface TestTargetOptions {
  readonly store: Pick<Store, "beginTest" | "endTest">;
  readonly testPlaces: TestPlaces;
  readonly secretBox: SecretBox;
  readonly targetKinds: TargetKinds;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** Aborts when the server stops and cannot wait any longer. */
  readonly stopping: AbortSignal;
}

export interface TestedTarget {
  readonly targetId: string;
  readonly messageId: string;
  readonly attempt: Attempt;
}

export interface TargetTestRequest {
  readonly targetId: string;
  readonly payload: string | undefined;
  /** Aborts when the caller no longer waits for the answer. */
  readonly callerGone: AbortSignal;
}

const defaultPayload = "This is a test message from Postdate.";
/** The service cannot know when an attempt at a busy target ends, so it suggests a fixed delay. */
const askAgainMs = 1_000;
const endRetryMs = 1_000;

/**
 * Sends a test message at once, outside the schedule. The service neither stores nor retries it. It counts
 * against the limits as one message and one attempt, and it ends when the caller goes away.
 */
export async function testTarget(
  options: TestTargetOptions,
  caller: Caller,
  { targetId, payload = defaultPayload, callerGone }: TargetTestRequest,
): Promise<TestedTarget> {
  const problem = payloadProblem(payload);
  if (problem !== undefined) throw new RequestRefused(problem);
  const place = options.testPlaces.take(caller.accountId);
  if (place === undefined) throw tooManyTests();
  try {
    const begun = await options.store.beginTest(targetRef(caller, targetId));
    if (begun.kind !== "begun") throw refusalOf(begun, targetId);
    try {
      return await deliver(options, begun.target, payload, callerGone);
    } finally {
      await endTest(options, begun.test);
    }
  } finally {
    place.giveBack();
  }
}

async function deliver(
  { secretBox, targetKinds, clock, random, stopping }: TestTargetOptions,
  target: Target,
  payload: string,
  callerGone: AbortSignal,
): Promise<TestedTarget> {
  const { targetId } = target;
  const messageId = `msg_test_${encodeBase32(random.bytes(16))}`;
  const startTime = clock.now();
  const begun = clock.monotonic();
  using ending = eitherOf(stopping, callerGone);
  const report = await targetKinds.get(target.kind).deliver({
    accountId: target.accountId,
    messageId,
    targetId,
    settings: openSettings(secretBox, target),
    overrides: null,
    secrets: openSecrets(secretBox, target),
    payload: Buffer.from(payload, "utf8"),
    attemptNumber: 1,
    originalDeliveryTime: startTime,
    schedule: null,
    startTime,
    traceParent: null,
    signal: ending.signal,
  });
  const { outcome, statusCode, error, response } = report;
  const endTime = startTime + Math.round(clock.monotonic() - begun);
  const attempt = { number: 1, startTime, endTime, outcome, statusCode, error, response };
  return { targetId, messageId, attempt };
}

/** Makes the caller wait for one try only. If the store is away, the target's slot is given back later. */
async function endTest(options: TestTargetOptions, test: TargetTest): Promise<void> {
  const { store, timers, stopping } = options;
  try {
    await store.endTest(test);
  } catch {
    if (stopping.aborted) return;
    void pause(timers, endRetryMs, stopping).then(() => endTest(options, test));
  }
}

interface EitherSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** Removes its listeners at the end, because the signals outlive the test. */
function eitherOf(...signals: readonly AbortSignal[]): EitherSignal {
  const either = new AbortController();
  const abort = (): void => either.abort();
  for (const signal of signals) {
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: either.signal,
    [Symbol.dispose]() {
      for (const signal of signals) signal.removeEventListener("abort", abort);
    },
  };
}

function tooManyTests(): RequestLimited {
  return new RequestLimited(askAgainMs, {
    code: codes.tooManyRequests,
    message:
      "This account, or this server, has as many test deliveries under way as it may have at once. Wait for one to end, then test again.",
  });
}

function refusalOf(
  refusal: Exclude<BeginTestResult, { readonly kind: "begun" }>,
  targetId: string,
): RequestRefused {
  if (refusal.kind === "no-target") return new RequestRefused(targetNotFound(targetId));
  if (refusal.kind === "over-quota") return new RequestRefused(limitReached);
  if (refusal.kind === "busy") {
    return new RequestLimited(askAgainMs, {
      code: codes.tooManyRequests,
      message:
        "The target has as many deliveries under way as its maxConcurrency allows. Test again when one has ended, or raise it.",
    });
  }
  return new RequestLimited(refusal.opensInMs, {
    code: codes.tooManyRequests,
    message: `The target's rateLimit allows the next delivery in ${Math.ceil(refusal.opensInMs / 1_000)} s. Test again then, or raise it.`,
  });
}
