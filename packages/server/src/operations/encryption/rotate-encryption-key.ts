import type { Operator } from "../../domain/access.ts";
import { beginRotation } from "../../domain/key-rotation.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { EncryptionState, Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import type { EncryptionControl } from "./encryption-control.ts";
import { getEncryption } from "./get-encryption.ts";
import type { EncryptionView, GetEncryptionOptions } from "./get-encryption.ts";

export interface RotateEncryptionKeyOptions extends GetEncryptionOptions {
  readonly store: GetEncryptionOptions["store"] & Pick<Store, "advanceRotation">;
  readonly encryption: EncryptionControl;
  readonly random: Random;
}

/** Begins to exchange the encryption key. If that is under way, nothing changes. */
export async function rotateEncryptionKey(
  options: RotateEncryptionKeyOptions,
  operator: Operator,
): Promise<EncryptionView> {
  const { encryption } = options;
  await encryption.inTurn(() => begin(options, operator));
  encryption.noteRotation();
  return getEncryption(options, operator);
}

async function begin(
  { store, encryption, random }: RotateEncryptionKeyOptions,
  operator: Operator,
): Promise<void> {
  let state = await store.encryptionState();
  if (isUnderWay(state, encryption.keyId())) return;
  if (state.keyIds.every((keyId) => keyId === encryption.keyId())) {
    if (encryption.makeKey === null) throw refused(noNextKey(encryption.keyId()));
    await encryption.makeKey();
    state = await store.encryptionState();
  }
  const keyId = encryption.keyId();
  const others = state.nodes.filter((node) => node.keyId !== keyId);
  if (others.length > 0)
    throw refused(
      sealOtherwise(
        others.map(({ nodeId }) => nodeId),
        keyId,
      ),
    );
  const from = state.keyIds.filter((each) => each !== keyId);
  const { actor, requestId } = operator;
  const audited = {
    action: "encryption-key.rotated",
    accountId: null,
    subjectId: keyId,
    detail: { from },
  } as const;
  await store.advanceRotation({
    revision: state.revision,
    rotation: beginRotation(keyId, store.clock.now()),
    rewrite: null,
    retire: null,
    note: auditNote(random, { actor, requestId }, audited),
  });
}

function isUnderWay({ rotation }: EncryptionState, keyId: string): boolean {
  return rotation !== null && rotation.endTime === null && rotation.keyId === keyId;
}

function refused(message: string): RequestRefused {
  return new RequestRefused({ code: codes.keyNotExchangeable, message });
}

const noNextKey = (keyId: string): string =>
  `Everything is sealed with ${keyId}. Give the next key to every node in POSTDATE_ENCRYPTION_OTHER_KEYS first, then exchange it with POSTDATE_ENCRYPTION_KEY, and ask again.`;

const sealOtherwise = (nodeIds: readonly string[], keyId: string): string =>
  `${nodeIds.join(", ")} would go on to seal with another key. Make ${keyId} the POSTDATE_ENCRYPTION_KEY of every node, keep the key before in POSTDATE_ENCRYPTION_OTHER_KEYS, restart them, and ask again.`;
