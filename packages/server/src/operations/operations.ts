import type { Caller } from "../domain/access.ts";
import type { PageTokens } from "../domain/page-token.ts";
import type { Clock } from "../platform/clock.ts";
import type { Random } from "../platform/random.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import type { Store } from "../storage/store.ts";
import type { TargetKinds } from "../targets/target-kind.ts";
import { cancelMessage } from "./cancel-message.ts";
import { createKey } from "./create-key.ts";
import { createTarget } from "./create-target.ts";
import type { DeliveryControl } from "./delivery-control.ts";
import { getMessage } from "./get-message.ts";
import { getTarget } from "./get-target.ts";
import { listAttempts } from "./list-attempts.ts";
import { listDeadLetters } from "./list-dead-letters.ts";
import { listKeys } from "./list-keys.ts";
import { listNodes } from "./list-nodes.ts";
import { listScheduledMessages } from "./list-scheduled-messages.ts";
import { listTargets } from "./list-targets.ts";
import { pauseTarget, resumeTarget } from "./pause-target.ts";
import { readPayload } from "./read-payload.ts";
import { removeTarget } from "./remove-target.ts";
import { rescheduleMessage } from "./reschedule-message.ts";
import { revokeKey } from "./revoke-key.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { scheduleBatch } from "./schedule-batch.ts";
import { scheduleMessage } from "./schedule-message.ts";
import { testTarget } from "./test-target.ts";
import { updateTarget } from "./update-target.ts";

/** Whoever answers callers tells a store that is away from a bug by this. */
export { StoreUnavailable } from "../storage/store.ts";

export interface OperationDependencies {
  readonly store: Store;
  readonly delivery: DeliveryControl;
  readonly secretBox: SecretBox;
  readonly targetKinds: TargetKinds;
  readonly pageTokens: PageTokens;
  readonly clock: Clock;
  readonly random: Random;
  /** How long cancel and reschedule wait for the outcome of an attempt that is in flight. */
  readonly cancelWaitMs: number;
  /** Told of every revocation; resolves when it may be answered. */
  readonly keyRevoked: (keyId: string) => Promise<void>;
  /** Aborts when the server stops and can wait no longer. */
  readonly stopping: AbortSignal;
}

const all = {
  scheduleMessage,
  scheduleBatch,
  getMessage,
  readPayload,
  listAttempts,
  cancelMessage,
  rescheduleMessage,
  listScheduledMessages,
  listDeadLetters,
  createTarget,
  getTarget,
  listTargets,
  updateTarget,
  removeTarget,
  pauseTarget,
  resumeTarget,
  testTarget,
  rotateSecret,
  createKey,
  listKeys,
  revokeKey,
  listNodes,
};

type Joined<Operation> = Operation extends (
  options: never,
  caller: Caller,
  ...values: infer Values
) => infer Answer
  ? (caller: Caller, ...values: Values) => Answer
  : never;

/** Everything a caller can ask, each with its dependencies already in hand. */
export type Operations = { readonly [Name in keyof typeof all]: Joined<(typeof all)[Name]> };

export function createOperations(dependencies: OperationDependencies): Operations {
  const joined = Object.entries(all).map(([name, operation]) => [
    name,
    (operation as (...values: unknown[]) => unknown).bind(undefined, dependencies),
  ]);
  return Object.fromEntries(joined) as Operations;
}
