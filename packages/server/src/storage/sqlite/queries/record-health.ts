import type { Attempt } from "../../../domain/attempt.ts";
import { healthMask } from "../../../domain/events/event-types.ts";
import { healthEvent } from "../../../domain/events/other-events.ts";
import { defaultFailingAfter } from "../../../domain/failing-after.ts";
import { afterAttempt, isSuccessful } from "../../../domain/events/target-health.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { Context } from "./context.ts";
import { getTargetByKey } from "./targets.ts";

/** Keeps how a target does, if somebody is told about it. */
export function recordHealth(context: Context) {
  const { eventMasks, events, targetHealth } = context;
  const getTarget = getTargetByKey(context);

  return (targetKey: number, { outcome }: Attempt, now: Instant): void => {
    const { accountKey, mask } = eventMasks.ofTarget(targetKey);
    const isSuccess = isSuccessful(outcome);
    if ((mask & healthMask) === 0 || isSuccess === null) return;
    const before = targetHealth.of(targetKey);
    // As with most attempts: nothing changes, and the target's row need not be read.
    if (isSuccess && before.failedAttempts === 0) return;
    const target = getTarget(targetKey);
    // It was removed while the attempt was under way.
    if (target === undefined) return;
    const failingAfter = target.failingAfter ?? defaultFailingAfter;
    const { health, event } = afterAttempt(before, isSuccess, now, failingAfter);
    targetHealth.put(accountKey, targetKey, health);
    if (event === null) return;
    const { type } = event;
    events.tell(accountKey, { type, targetId: target.targetId }, () =>
      healthEvent(event, target, now),
    );
  };
}
