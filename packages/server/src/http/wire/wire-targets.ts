import type { ShownSettings, ShownTarget, ShownTargetWithSecret } from "@postdate/contract";
import type { AccessKey } from "../../domain/access.ts";
import { defaultFailingAfter } from "../../domain/failing-after.ts";
import { formatTime } from "../../domain/times.ts";
import type { TargetView, TargetWithSecret } from "../../operations/targets/target-view.ts";
import { wireRetryPolicy } from "./wire-retry-policy.ts";

/**
 * A target as the API shows it: flat, with the settings of its kind among the other fields. These settings
 * match the schema of the kind, which the serialiser uses.
 */
export function wireTarget(target: TargetView): ShownTarget {
  return {
    targetId: target.targetId,
    kind: target.kind,
    ...(target.settings as ShownSettings),
    retryPolicy: wireRetryPolicy(target.retryPolicy),
    maxConcurrency: target.maxConcurrency,
    rateLimit: target.rateLimit,
    paused: target.paused,
    failingAfter: target.failingAfter ?? defaultFailingAfter,
    creationTime: formatTime(target.creationTime),
    updateTime: formatTime(target.updateTime),
  };
}

export function wireTargetWithSecret({
  secret,
  ...target
}: TargetWithSecret): ShownTargetWithSecret {
  const shown = wireTarget(target);
  return (secret === null ? shown : { ...shown, secret }) as ShownTargetWithSecret;
}

export function wireKey(key: AccessKey) {
  return {
    keyId: key.keyId,
    name: key.name,
    scopes: [...key.scopes],
    creationTime: formatTime(key.creationTime),
  };
}
