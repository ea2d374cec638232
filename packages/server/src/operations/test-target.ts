import type { Caller } from "../domain/access.ts";
import type { Attempt } from "../domain/attempt.ts";
import { RequestRefused } from "../domain/refusals.ts";
import { encodeBase32 } from "../platform/base32.ts";
import type { Clock } from "../platform/clock.ts";
import type { Random } from "../platform/random.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import type { Store } from "../storage/store.ts";
import { openSecrets, openSettings } from "../targets/sealed-target.ts";
import type { TargetKinds } from "../targets/target-kind.ts";
import { payloadProblem } from "./message-draft.ts";
import { targetRef } from "./target-ref.ts";
import { targetNotFound } from "./target-view.ts";

export interface TestTargetOptions {
  readonly store: Pick<Store, "getTarget">;
  readonly secretBox: SecretBox;
  readonly targetKinds: TargetKinds;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the server stops and can wait no longer. */
  readonly stopping: AbortSignal;
}

export interface TestedTarget {
  readonly targetId: string;
  readonly messageId: string;
  readonly attempt: Attempt;
}

const defaultPayload = "This is a test message from Postdate.";

/** Sends at once and outside the schedule: nothing is kept, nothing is tried again. */
export async function testTarget(
  { store, secretBox, targetKinds, clock, random, stopping }: TestTargetOptions,
  caller: Caller,
  targetId: string,
  payload: string = defaultPayload,
): Promise<TestedTarget> {
  const problem = payloadProblem(payload);
  if (problem !== undefined) throw new RequestRefused(problem);
  const target = await store.getTarget(targetRef(caller, targetId));
  if (target === undefined) throw new RequestRefused(targetNotFound(targetId));
  const messageId = `msg_test_${encodeBase32(random.bytes(16))}`;
  const startTime = clock.now();
  const begun = clock.monotonic();
  const report = await targetKinds[target.kind].deliver({
    accountId: caller.accountId,
    messageId,
    targetId,
    settings: openSettings(secretBox, target),
    secrets: openSecrets(secretBox, target),
    payload: Buffer.from(payload, "utf8"),
    attemptNumber: 1,
    originalDeliveryTime: startTime,
    startTime,
    signal: stopping,
  });
  const { outcome, statusCode, error, response } = report;
  const endTime = startTime + Math.round(clock.monotonic() - begun);
  const attempt = { number: 1, startTime, endTime, outcome, statusCode, error, response };
  return { targetId, messageId, attempt };
}
