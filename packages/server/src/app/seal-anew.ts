import type { SealedPlace } from "../domain/key-rotation.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import { resealHeaders } from "../targets/message-headers.ts";
import { resealEventSecrets, resealEventSettings } from "../targets/sealed-endpoint.ts";
import { resealSecrets, resealSettings } from "../targets/sealed-target.ts";
import { resealPrivateKey } from "../tokens/jwt/signing-key-pair.ts";

const atPlace: Readonly<Record<SealedPlace, (box: SecretBox, sealed: string) => string>> = {
  targetSettings: resealSettings,
  targetSecrets: resealSecrets,
  endpointSettings: resealEventSettings,
  endpointSecrets: resealEventSecrets,
  signingKeys: resealPrivateKey,
  schedules: resealHeaders,
  messages: resealHeaders,
};

/** What is sealed at a place, sealed with the key that seals now. Throws if no key at hand opens it. */
export function sealAnew(box: SecretBox, place: SealedPlace, sealed: string): string {
  return atPlace[place](box, sealed);
}
