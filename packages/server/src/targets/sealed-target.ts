import type { SigningSecrets, Target, TargetSettings } from "../domain/target.ts";
import type { SecretBox } from "../platform/secret-box.ts";

/** What of a target is kept sealed, and for which purpose: the only place that seals or opens it. */
const settingsPurpose = "target-settings";
const secretsPurpose = "target-secrets";

export function sealSettings(box: SecretBox, settings: TargetSettings): string {
  return box.seal(JSON.stringify(settings), settingsPurpose);
}

export function openSettings(
  box: SecretBox,
  target: Pick<Target, "sealedSettings">,
): TargetSettings {
  return JSON.parse(box.open(target.sealedSettings, settingsPurpose));
}

/** Null for a target of a kind that does not sign. */
export function sealSecrets(box: SecretBox, secrets: SigningSecrets | null): string {
  return box.seal(JSON.stringify(secrets), secretsPurpose);
}

export function openSecrets(
  box: SecretBox,
  target: Pick<Target, "sealedSecrets">,
): SigningSecrets | null {
  return JSON.parse(box.open(target.sealedSecrets, secretsPurpose));
}
