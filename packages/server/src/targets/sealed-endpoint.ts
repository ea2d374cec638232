import type { EventEndpoint } from "../domain/events/event-endpoint.ts";
import type { SigningSecrets } from "../domain/target.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import type { EventSettings } from "./event-sender.ts";

/** The purposes under which parts of an event endpoint are sealed. No other file seals or opens them. */
const settingsPurpose = "event-endpoint-settings";
const secretsPurpose = "event-endpoint-secrets";

export function sealEventSettings(box: SecretBox, settings: EventSettings): string {
  return box.seal(JSON.stringify(settings), settingsPurpose);
}

export function sealEventSecrets(box: SecretBox, secrets: SigningSecrets): string {
  return box.seal(JSON.stringify(secrets), secretsPurpose);
}

/** Of an endpoint of kind webhook. */
export interface OpenWebhook {
  readonly settings: EventSettings;
  readonly secrets: SigningSecrets;
}

/** Undefined for a stream, which has neither. */
export function openWebhook(
  box: SecretBox,
  { sealedSettings, sealedSecrets }: Pick<EventEndpoint, "sealedSettings" | "sealedSecrets">,
): OpenWebhook | undefined {
  if (sealedSettings === null || sealedSecrets === null) return undefined;
  return {
    settings: JSON.parse(box.open(sealedSettings, settingsPurpose)),
    secrets: JSON.parse(box.open(sealedSecrets, secretsPurpose)),
  };
}

/** The same settings or secrets, sealed with the key that seals now. */
export const resealEventSettings = (box: SecretBox, sealed: string): string =>
  box.seal(box.open(sealed, settingsPurpose), settingsPurpose);
export const resealEventSecrets = (box: SecretBox, sealed: string): string =>
  box.seal(box.open(sealed, secretsPurpose), secretsPurpose);
