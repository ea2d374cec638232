import type { Caller } from "../../../src/domain/access.ts";
import type { Message } from "../../../src/domain/message.ts";
import type { Operations } from "../../../src/operations/operations.ts";
import type { Refused, Told } from "../../history/history.ts";
import type { Move } from "../world/moves.ts";
import { boundFields, boundOf, dueOf, timeFields } from "./drafts.ts";
import { callerOf } from "./service-line.ts";
import type { ServiceLine } from "./service-line.ts";

type Change = Extract<Move, { kind: "cancel" | "reschedule" }>;
type ByKey = Extract<Move, { kind: "get by key" | "cancel by key" | "reschedule by key" }>;

/** Calls only once. A caller whose answer was lost does not know the result, which is a case to test. */
export async function changeMessage(line: ServiceLine, move: Change): Promise<void> {
  const known = line.knownAs(move.name);
  if (known === undefined) return;
  const { accountId, messageId } = known;
  const caller = callerOf(accountId);
  const { dueAt, bound, request } = wantedBy(line, move.kind === "cancel" ? undefined : move);
  const askedAt = line.now();
  const answer = await line.ask(`${move.kind} ${move.name}`, (operations) =>
    request === undefined
      ? operations.cancelMessage(caller, messageId)
      : operations.rescheduleMessage(caller, messageId, request),
  );
  if (answer.kind === "unasked") return;
  line.note({
    verb: move.kind,
    accountId,
    writer: move.name,
    messageId,
    dueAt,
    ...(bound !== undefined && { bound }),
    askedAt,
    answer: answer.kind === "ok" ? found(answer.value) : answer,
  });
}

export async function getMessage(
  line: ServiceLine,
  { name }: Extract<Move, { kind: "get" }>,
): Promise<void> {
  const known = line.knownAs(name);
  if (known === undefined) return;
  const { accountId, messageId } = known;
  const askedAt = line.now();
  const answer = await line.ask(`get ${name}`, (operations) =>
    operations.getMessage(callerOf(accountId), messageId),
  );
  if (answer.kind === "unasked") return;
  line.note({
    verb: "get",
    accountId,
    writer: name,
    messageId,
    askedAt,
    answer: answer.kind === "ok" ? found(answer.value) : answer,
  });
}

/** A call about whichever message has the key. Made only once. */
export async function callByKey(line: ServiceLine, move: ByKey): Promise<void> {
  const { kind: verb, accountId, targetId, messageKey, name } = move;
  const { dueAt, bound, request } = wantedBy(line, verb === "reschedule by key" ? move : undefined);
  const askedAt = line.now();
  const answer = await line.ask(`${verb} ${name}`, (operations) =>
    askByKey(operations, callerOf(accountId), move, request),
  );
  if (answer.kind === "unasked") return;
  line.note({
    verb,
    accountId,
    writer: name,
    targetId,
    messageKey,
    dueAt,
    ...(bound !== undefined && { bound }),
    askedAt,
    answer: answer.kind === "ok" ? found(answer.value) : answer,
  });
}

function askByKey(
  operations: Operations,
  caller: Caller,
  { kind, targetId, messageKey: key }: ByKey,
  request: ReturnType<typeof wantedBy>["request"],
): Promise<Message | undefined> {
  const given = { targetId, key };
  if (kind === "get by key") return operations.getMessageByKey(caller, given);
  return request === undefined
    ? operations.cancelMessageByKey(caller, given)
    : operations.rescheduleMessageByKey(caller, given, request);
}

/** What a reschedule asks for at this moment. All is empty for other calls. */
function wantedBy(
  line: ServiceLine,
  move: Extract<Move, { kind: "reschedule" | "reschedule by key" }> | undefined,
) {
  if (move === undefined) return { dueAt: null, bound: undefined, request: undefined };
  const dueAt = dueOf(line, move);
  const bound = move.bound == null ? move.bound : boundOf(line, move.bound);
  const request = { ...timeFields(dueAt), ...(bound !== undefined && boundFields(bound)) };
  return { dueAt, bound, request };
}

function found(message: Message | undefined): Told | Refused {
  return message === undefined ? { kind: "refused", code: "404" } : { kind: "ok", message };
}
