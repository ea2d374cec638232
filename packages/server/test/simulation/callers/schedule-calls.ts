import type { KeyOutcome } from "../../../src/domain/message-key.ts";
import type { Message } from "../../../src/domain/message.ts";
import type { BatchItem } from "../../../src/operations/messages/schedule-batch.ts";
import type { Refused, Told } from "../../history/history.ts";
import type { Move } from "../world/moves.ts";
import { askedOf, draftFor, requestOf } from "./drafts.ts";
import type { Draft, ScheduleMove } from "./drafts.ts";
import { callerOf } from "./service-line.ts";
import type { ServiceLine } from "./service-line.ts";

const tryAgainMs = 1_000;

/** Repeats the call with the same key until there is an answer. */
export async function schedule(
  line: ServiceLine,
  move: ScheduleMove,
  draft: Draft = draftFor(line, move),
): Promise<void> {
  const request = requestOf(draft);
  for (let count = 1; !line.gaveUp; count++) {
    const base = { ...askedOf(draft), verb: "schedule", askedAt: line.now() } as const;
    const answer = await line.ask(`${move.name} ${count}`, (operations) =>
      operations.scheduleMessage(callerOf(move.accountId), request, move.name),
    );
    if (answer.kind === "ok") {
      const { message, keyOutcome } = answer.value;
      learn(line, move, message);
      line.note({ ...base, answer: told(message, keyOutcome) });
    } else if (answer.kind !== "unasked") {
      line.note({ ...base, answer });
    }
    if (answer.kind === "ok" || answer.kind === "refused") return;
    await line.pause(tryAgainMs);
  }
}

/** Repeats the batch until there is an answer. Items with keys of their own are repeated alone. */
export async function scheduleBatch(
  line: ServiceLine,
  { items, ownKeys = false }: Extract<Move, { kind: "batch" }>,
): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  const drafts = items.map((item) => draftFor(line, item));
  const requests = drafts.map((draft) => ({
    ...requestOf(draft),
    idempotencyKey: ownKeys ? draft.move.name : undefined,
  }));
  const verb = ownKeys ? "schedule" : "batch item";
  const batchKey = ownKeys ? undefined : first.name;
  for (let count = 1; !line.gaveUp; count++) {
    const askedAt = line.now();
    const answer = await line.ask(`${first.name} ${count}`, (operations) =>
      operations.scheduleBatch(callerOf(first.accountId), requests, batchKey),
    );
    for (const [place, draft] of drafts.entries()) {
      const base = { ...askedOf(draft), verb, askedAt } as const;
      if (answer.kind === "ok") {
        const result = answer.value.results[place]!;
        if ("message" in result) learn(line, draft.move, result.message);
        line.note({ ...base, answer: answerOfItem(result) });
      } else if (answer.kind !== "unasked") {
        line.note({ ...base, answer });
      }
    }
    if (answer.kind === "ok" || answer.kind === "refused") return;
    await line.pause(tryAgainMs);
    if (ownKeys) {
      await Promise.all(drafts.map((draft) => schedule(line, draft.move, draft)));
      return;
    }
  }
}

function learn(line: ServiceLine, { name, accountId }: ScheduleMove, { messageId }: Message): void {
  line.learn(name, { messageId, accountId });
}

function told(message: Message, keyOutcome: KeyOutcome | null): Told {
  return { kind: "ok", message, ...(keyOutcome !== null && { keyOutcome }) };
}

function answerOfItem(result: BatchItem): Told | Refused {
  if ("message" in result) return told(result.message, result.keyOutcome ?? null);
  return { kind: "refused", code: result.errors[0]!.code };
}
