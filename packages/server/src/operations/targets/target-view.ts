import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Target, TargetKindName, TargetSettings } from "../../domain/target.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { openSettings } from "../../targets/sealed-target.ts";
import { hideHeaderValues } from "./header-values.ts";

/** A target as its account may see it: settings without header values, secrets not there at all. */
export interface TargetView extends Omit<
  Target,
  "targetKey" | "accountId" | "sealedSettings" | "sealedSecrets" | "revision"
> {
  readonly settings: TargetSettings[TargetKindName];
}

/** As a target is shown once, when its secret is new. */
export interface TargetWithSecret extends TargetView {
  readonly secret: string;
}

export function viewTarget(box: SecretBox, target: Target): TargetView {
  const {
    targetKey: _targetKey,
    accountId: _accountId,
    sealedSettings: _sealedSettings,
    sealedSecrets: _sealedSecrets,
    revision: _revision,
    ...visible
  } = target;
  const settings = openSettings(box, target);
  return { ...visible, settings: { ...settings, headers: hideHeaderValues(settings.headers) } };
}

export function targetNotFound(targetId: string): Problem {
  return {
    code: codes.targetNotFound,
    message: `There is no target ${JSON.stringify(targetId.slice(0, 100))}. Correct the targetId.`,
  };
}
