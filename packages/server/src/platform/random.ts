import { randomBytes } from "node:crypto";

export interface Random {
  /** In [0, 1). For jitter, not for secrets. */
  fraction(): number;
  /** Unguessable: fit for secrets. */
  bytes(length: number): Buffer;
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (length) => randomBytes(length),
};
