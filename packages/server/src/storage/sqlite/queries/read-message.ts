import { mostAttemptsKept } from "../../../domain/attempt.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import type { Message } from "../../../domain/message.ts";
import type { KeyRef, MessageRef } from "../../store.ts";
import { readAttempt } from "../rows/attempt-rows.ts";
import type { Context } from "./context.ts";
import type { Row } from "../rows/rows.ts";

export function getMessage({ messages }: Context) {
  return (ref: MessageRef): Message | undefined => messages.find(ref)?.message;
}

export function findByKey({ messages, accounts, targets }: Context) {
  return ({ accountId, targetId, key }: KeyRef): Message | undefined => {
    const accountKey = accounts.keyOf(accountId);
    const targetKey = accountKey === undefined ? undefined : targets.keyOf(accountKey, targetId);
    return targetKey === undefined ? undefined : messages.holderOf(targetKey, key)?.message;
  };
}

export function getPayload({ db, messages }: Context) {
  const select = db.prepare("SELECT payload FROM messages WHERE message_key = ?");
  return (ref: MessageRef): string | undefined => {
    const found = messages.find(ref);
    if (found === undefined) return undefined;
    return (select.get(found.messageKey) as Row)["payload"] as string;
  };
}

export function listAttempts({ db, messages }: Context) {
  const selectLatest = db.prepare(
    "SELECT * FROM attempts WHERE message_key = ? ORDER BY number DESC LIMIT ?",
  );
  return (ref: MessageRef): readonly Attempt[] | undefined => {
    const found = messages.find(ref);
    if (found === undefined) return undefined;
    const rows = selectLatest.all(found.messageKey, mostAttemptsKept);
    return rows.toReversed().map(readAttempt);
  };
}
