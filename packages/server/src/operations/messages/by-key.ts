import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { targetIdPattern } from "../../domain/target.ts";
import type { Store } from "../../storage/store.ts";
import { cancelMessage } from "./cancel-message.ts";
import type { CancelOptions } from "./cancel-message.ts";
import { readReschedule, rescheduleTo } from "./reschedule-message.ts";
import type { RescheduleOptions } from "./reschedule-message.ts";

interface ByKeyOptions {
  readonly store: Pick<Store, "findByKey" | "getMessage">;
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

export function cancelMessageByKey(
  options: ChangeOptions,
  caller: Caller,
  given: GivenKey,
): Promise<Message> {
  return changeHolder(options, caller, given, (messageId) =>
    cancelMessage(options, caller, messageId),
  );
}

export async function rescheduleMessageByKey(
  options: ChangeOptions,
  caller: Caller,
  given: GivenKey,
  ...change: Parameters<typeof readReschedule>
): Promise<Message> {
  const wanted = readReschedule(...change);
  return changeHolder(options, caller, given, (messageId) =>
    rescheduleTo(options, caller, messageId, { ...wanted, whileScheduled: true }),
  );
}

/** Between the look and the change the message may end. Then one that has the key meanwhile is meant. */
async function changeHolder(
  options: ChangeOptions,
  caller: Caller,
  given: GivenKey,
  change: (messageId: string) => Promise<Message>,
): Promise<Message> {
  for (;;) {
    const holder = await getMessageByKey(options, caller, given);
    if (holder === undefined) throw new RequestRefused(noHolder);
    const { messageId } = holder;
    try {
      return await change(messageId);
    } catch (error) {
      const now = await options.store.getMessage({ accountId: caller.accountId, messageId });
      const isOver = now?.state === "CANCELLED" || now?.state === "DEAD_LETTER";
      if (!(error instanceof RequestRefused) || !isOver) throw error;
    }
  }
}

const noHolder: Problem = {
  code: codes.messageNotFound,
  message: "No scheduled message of this target has this key. It may have ended meanwhile.",
};
