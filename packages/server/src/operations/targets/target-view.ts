import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Target, TargetSettings } from "../../domain/target.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { openSettings } from "../../targets/sealed-target.ts";
import type { TargetKinds } from "../../targets/target-kind.ts";

export interface ViewTargetOptions {
  readonly secretBox: SecretBox;
  readonly targetKinds: TargetKinds;
}

/** A target as its account sees it: the settings that its kind shows, without secrets. */
export interface TargetView extends Omit<
  Target,
  "targetKey" | "accountId" | "sealedSettings" | "sealedSecrets" | "revision"
> {
  readonly settings: TargetSettings;
}

/** A target with its new secret. The service shows the secret only this once. */
export interface TargetWithSecret extends TargetView {
  /** Null if the kind does not sign. */
  readonly secret: string | null;
}

export function viewTarget(
  { secretBox, targetKinds }: ViewTargetOptions,
  target: Target,
): TargetView {
  const {
    targetKey: _targetKey,
    accountId: _accountId,
    sealedSettings: _sealedSettings,
    sealedSecrets: _sealedSecrets,
    revision: _revision,
    ...visible
  } = target;
  const settings = openSettings(secretBox, target);
  return { ...visible, settings: targetKinds.get(target.kind).view(settings) };
}

export function targetNotFound(targetId: string): Problem {
  return {
    code: codes.targetNotFound,
    message: `There is no target ${JSON.stringify(targetId.slice(0, 100))}. Correct the targetId.`,
  };
}

export const targetHasSchedules: Problem = {
  code: codes.targetHasMessages,
  message:
    "Recurring schedules make messages for this target. Remove them, or give them another target, and then remove this one.",
};
