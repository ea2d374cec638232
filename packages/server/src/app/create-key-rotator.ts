import type { Settings } from "../config/settings.ts";
import { KeyRotator } from "../engine/encryption/key-rotator.ts";
import type { KeyRotatorOptions } from "../engine/encryption/key-rotator.ts";
import { auditNote, theService } from "../operations/audit/audit-note.ts";
import type { Logger } from "../platform/logger.ts";
import type { Random } from "../platform/random.ts";
import type { Store } from "../storage/store.ts";
import { sealCheck } from "./first-start/check-encryption-key.ts";
import type { EncryptionKeys } from "./first-start/take-encryption-keys.ts";
import type { Metrics } from "./observability/metrics.ts";
import { sealAnew } from "./seal-anew.ts";

/** A change holds what it has read for longer than this neither in this process nor in transactions of a shared store. */
const aloneSettleMs = 3_000;
const sharedSettleMs = 20_000;

export interface CreateKeyRotatorOptions extends Pick<
  KeyRotatorOptions,
  "nodeId" | "clock" | "timers"
> {
  readonly store: Store;
  readonly encryption: EncryptionKeys;
  readonly settings: Pick<Settings, "role">;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly trouble: KeyRotatorOptions["observer"]["trouble"];
}

/** The part that exchanges the encryption key, with the keys of this process. */
export function createKeyRotator(options: CreateKeyRotatorOptions): KeyRotator {
  const { store, encryption, settings, random, metrics, logger, trouble } = options;
  const { keyring, secrets, tellStore } = encryption;
  return new KeyRotator({
    ...options,
    keys: {
      get keyId() {
        return keyring.keyId;
      },
      keyIdOf: (sealed) => keyring.keyIdOf(sealed),
      sealAnew: (place, sealed) => sealAnew(keyring, place, sealed),
      sealCheck: () => sealCheck(secrets, keyring),
      tellStore,
    },
    rewrites: settings.role !== "api",
    observer: {
      valuesSealedAnew: (count) => metrics.valuesSealedAnew.inc(count),
      keysRetired: (keyIds) => logger.info({ keyIds }, "encryption keys retired"),
      trouble,
    },
    retiredNote: ({ keyId, rewritten }, retired) =>
      auditNote(random, theService, {
        action: "encryption-key.retired",
        accountId: null,
        subjectId: keyId,
        detail: { retired, rewritten },
      }),
    settleMs: store.sharing === null ? aloneSettleMs : sharedSettleMs,
  });
}
