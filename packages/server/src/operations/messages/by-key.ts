import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { targetIdPattern } from "../../domain/target.ts";
import type { ChangeResult, Store } from "../../storage/store.ts";
import { cancelledBy, tryToCancel } from "./cancel-message.ts";
import type { CancelOptions } from "./cancel-message.ts";
import { readReschedule, rescheduledBy, tryToReschedule } from "./reschedule-message.ts";
import type { RescheduleOptions } from "./reschedule-message.ts";

interface ByKeyOptions {
  readonly store: Pick<Store, "findByKey">;
}

type ChangeOptions = ByKeyOptions & CancelOptions & RescheduleOptions;

/** The scheduled message of a target that has a key. */
export interface GivenKey {
  readonly targetId: string;
  readonly key: string;
}

export async function getMessageByKey(
  { store }: ByKeyOptions,
  { accountId }: Caller,
  { targetId, key }: GivenKey,
): Promise<Message | undefined> {
  // Some stores cannot search for a malformed id, or for a character that no key has.
  if (!targetIdPattern.test(targetId) || key.includes("\0")) return undefined;
  return store.findByKey({ accountId, targetId, key });
}

export async function cancelMessageByKey(
  options: ChangeOptions,
  caller: Caller,
  given: GivenKey,
): Promise<Message> {
  const result = await changeHolder(options, caller, given, (messageId) =>
    tryToCancel(options, caller, messageId),
  );
  return cancelledBy(result, options);
}

export async function rescheduleMessageByKey(
  options: ChangeOptions,
  caller: Caller,
  given: GivenKey,
  ...change: Parameters<typeof readReschedule>
): Promise<Message> {
  const wanted = { ...readReschedule(...change), whileScheduled: true } as const;
  const result = await changeHolder(options, caller, given, (messageId) =>
    tryToReschedule(options, caller, messageId, wanted),
  );
  return rescheduledBy(result, options, caller);
}

/** Between the look and the change the message may end. Then one that has the key meanwhile is meant. */
async function changeHolder(
  options: ChangeOptions,
  caller: Caller,
  given: GivenKey,
  change: (messageId: string) => Promise<ChangeResult>,
): Promise<ChangeResult> {
  for (;;) {
    const holder = await getMessageByKey(options, caller, given);
    if (holder === undefined) throw new RequestRefused(noHolder);
    const result = await change(holder.messageId);
    if (result.kind !== "not-found" && !hasEnded(result)) return result;
  }
}

/** A delivery is what the caller wanted to change. Any other end leaves the key to another message. */
function hasEnded(result: ChangeResult): boolean {
  return result.kind === "refused" && result.message.state !== "DELIVERED";
}

const noHolder: Problem = {
  code: codes.messageNotFound,
  message: "No scheduled message of this target has this key. It may have ended meanwhile.",
};
