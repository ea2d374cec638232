import type { SigningSecrets, Target, TargetSettings } from "../domain/target.ts";
import type { SecretBox } from "../platform/secret-box.ts";

/** The purposes under which parts of a target are sealed. No other file seals or opens them. */
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

/** The secrets are null for a target whose kind does not sign. */
export function sealSecrets(box: SecretBox, secrets: SigningSecrets | null): string {
  return box.seal(JSON.stringify(secrets), secretsPurpose);
}

export function openSecrets(
  box: SecretBox,
  target: Pick<Target, "sealedSecrets">,
): SigningSecrets | null {
  return JSON.parse(box.open(target.sealedSecrets, secretsPurpose));
}

/** The same settings or secrets, sealed with the key that seals now. */
export const resealSettings = (box: SecretBox, sealed: string): string =>
  box.seal(box.open(sealed, settingsPurpose), settingsPurpose);
export const resealSecrets = (box: SecretBox, sealed: string): string =>
  box.seal(box.open(sealed, secretsPurpose), secretsPurpose);
