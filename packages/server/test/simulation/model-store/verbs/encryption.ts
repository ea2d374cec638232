import { unsettledBy } from "../../../../src/domain/key-rotation.ts";
import type { SealedPlace } from "../../../../src/domain/key-rotation.ts";
import type { MessageOptions } from "../../../../src/domain/message-options.ts";
import { startingNodeMs } from "../../../../src/storage/encryption-store.ts";
import type {
  EncryptionState,
  KeyInUse,
  KeyUse,
  RotationStep,
  RotationStepMade,
  SealedSlice,
} from "../../../../src/storage/store.ts";
import type { Context, DatabaseState } from "../database-state.ts";

/** A sealed value where it is kept. */
interface Cell {
  readonly at: string;
  readonly sealed: string | null | undefined;
  put(sealed: string): void;
}

/** How many rows a slice looks at. Small, so that walks are cut. */
const rowsAtOnce = 3;

/** Which keys seal values, and the exchange of the key. */
export function encryptionVerbs({ state, node }: Context) {
  const { clock, memberships, encryption, auditLog } = state;

  function nodes(): { nodeId: string; keyId: string | null; readable: readonly string[] }[] {
    const now = clock.now();
    const alive = [...memberships.values()].filter(
      ({ renewalTime, leaseMs }) => renewalTime + (leaseMs ?? Infinity) > now,
    );
    const started = [...encryption.nodes].filter(
      ([, { since }]) => node.leaseMs === null || since > now - startingNodeMs,
    );
    const registered = node.leaseMs === null ? [] : alive.map(({ nodeId }) => nodeId);
    const names = new Set([...registered, ...started.map(([nodeId]) => nodeId)]);
    return [...names].toSorted().map((nodeId) => {
      const { keyId = null, readable = [] } = encryption.nodes.get(nodeId) ?? {};
      return { nodeId, keyId, readable };
    });
  }

  function encryptionState(): EncryptionState {
    return {
      keyIds: [...encryption.keyIds].toSorted(),
      nodes: nodes().map(({ nodeId, keyId }) => ({ nodeId, keyId })),
      rotation: encryption.rotation,
      revision: encryption.revision,
    };
  }

  return {
    encryptionCheck: (): string | null => state.encryptionCheck,
    keepEncryptionCheck: (sealed: string): string => (state.encryptionCheck ??= sealed),

    useEncryptionKey({ nodeId, keyId, readable, firstKeyId }: KeyInUse): KeyUse {
      const known = [...encryption.keyIds].toSorted();
      const needed = known.length === 0 && firstKeyId !== null ? [firstKeyId] : known;
      const missing = needed.filter((each) => !readable.includes(each));
      if (missing.length > 0) return { kind: "missing-keys", keyIds: missing };
      if (needed.length > 0 && !needed.includes(keyId) && node.leaseMs !== null) {
        const blind = nodes().filter(
          (each) => each.nodeId !== nodeId && !each.readable.includes(keyId),
        );
        if (blind.length > 0)
          return { kind: "unread-by", nodeIds: blind.map((each) => each.nodeId) };
      }
      for (const each of [...needed, keyId]) encryption.keyIds.add(each);
      if (node.leaseMs === null) encryption.nodes.clear();
      encryption.nodes.set(nodeId, { keyId, readable, since: clock.now() });
      const unsettled = unsettledBy(encryption.rotation, keyId, clock.now());
      if (unsettled !== undefined) {
        encryption.rotation = unsettled;
        encryption.revision++;
      }
      return { kind: "used" };
    },

    encryptionState,

    readSealed(place: SealedPlace, after: string | null): SealedSlice {
      const rows = cellsOf(state, place);
      const first = after === null ? 0 : rows.findIndex(({ at }) => isBehind(at, after));
      if (first < 0) return { values: [], reached: null };
      const slice = rows.slice(first, first + rowsAtOnce);
      return {
        values: slice.flatMap(({ at, sealed }) => (sealed ? [{ at, sealed }] : [])),
        reached: first + rowsAtOnce < rows.length ? slice.at(-1)!.at : null,
      };
    },

    advanceRotation({ revision, rotation, rewrite, retire, note }: RotationStep): RotationStepMade {
      if (encryption.revision !== revision) return { kind: "changed" };
      if (retire !== null) {
        const others = nodes().filter(({ keyId }) => keyId !== rotation.keyId);
        if (others.length > 0)
          return { kind: "in-use", nodeIds: others.map(({ nodeId }) => nodeId) };
        encryption.keyIds.clear();
        encryption.keyIds.add(rotation.keyId);
        if (state.encryptionCheck !== null) state.encryptionCheck = retire.check;
      }
      let rewritten = 0;
      for (const { at, sealed, anew } of rewrite?.values ?? []) {
        const cell = cellsOf(state, rewrite!.place).find((each) => each.at === at);
        if (cell?.sealed !== sealed) continue;
        cell.put(anew);
        rewritten++;
      }
      encryption.revision = revision + 1;
      encryption.rotation = { ...rotation, rewritten: rotation.rewritten + rewritten };
      if (note !== null) auditLog.write(clock.now(), note);
      return { kind: "advanced", rewritten };
    },
  };
}

function isBehind(at: string, after: string): boolean {
  return at.length === after.length ? at > after : at.length > after.length;
}

/** In their order. */
function cellsOf(state: DatabaseState, place: SealedPlace): Cell[] {
  return cellsAt[place](state).toSorted((one, other) => (isBehind(one.at, other.at) ? 1 : -1));
}

const ofTargets =
  (field: "sealedSettings" | "sealedSecrets") =>
  ({ targets }: DatabaseState): Cell[] =>
    [...targets.liveBehind(0)].map((kept) => ({
      at: String(kept.target.targetKey),
      sealed: kept.target[field],
      put: (sealed) => void (kept.target = { ...kept.target, [field]: sealed }),
    }));

const ofEndpoints =
  (field: "sealedSettings" | "sealedSecrets") =>
  ({ events }: DatabaseState): Cell[] =>
    events.endpoints().map((kept) => ({
      at: `${kept.endpoint.accountId}/${kept.endpoint.endpointId}`,
      sealed: kept.endpoint[field],
      put: (sealed) => void (kept.endpoint = { ...kept.endpoint, [field]: sealed }),
    }));

const cellsAt: Readonly<Record<SealedPlace, (state: DatabaseState) => Cell[]>> = {
  targetSettings: ofTargets("sealedSettings"),
  targetSecrets: ofTargets("sealedSecrets"),
  endpointSettings: ofEndpoints("sealedSettings"),
  endpointSecrets: ofEndpoints("sealedSecrets"),
  signingKeys: ({ signingKeys }) =>
    signingKeys.map((key, index) => ({
      at: key.keyId,
      sealed: key.sealedPrivateKey,
      put: (sealed) => void (signingKeys[index] = { ...key, sealedPrivateKey: sealed }),
    })),
  schedules: ({ schedules }) =>
    schedules.all().map((kept) => ({
      at: String(kept.scheduleKey),
      sealed: kept.schedule.message?.headers?.sealed,
      put(sealed) {
        const message = withHeaders(kept.schedule.message!, sealed);
        kept.schedule = { ...kept.schedule, message };
      },
    })),
  messages: ({ messages }) =>
    [...messages.all()].map((stored) => ({
      at: stored.message.messageId,
      sealed: stored.message.options?.headers?.sealed,
      put(sealed) {
        const options = withHeaders(stored.message.options!, sealed);
        messages.update(stored, { ...stored.message, options });
      },
    })),
};

function withHeaders(options: MessageOptions, sealed: string): MessageOptions {
  return { ...options, headers: { ...options.headers!, sealed } };
}
