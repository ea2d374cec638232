import type { KeyOutcome } from "../../../domain/message-key.ts";
import type { Message } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import type { ScheduleResult } from "../../store.ts";
import type { Row, Run } from "../connections/connections.ts";
import { arraysOf, namesOf, unnest } from "../rows/given-columns.ts";
import type { GivenColumns } from "../rows/given-columns.ts";
import { instantGiven, timed } from "../rows/message-candidate.ts";
import type { MessageCandidate } from "../rows/message-candidate.ts";
import { messageIdOf } from "../rows/message-rows.ts";

export interface TakenKeys {
  /** Candidates that have taken their key, and those without a key. */
  readonly open: readonly MessageCandidate[];
  /** Candidates whose key was taken before, or by an earlier candidate of this batch. */
  readonly repeats: readonly MessageCandidate[];
}

const given: GivenColumns<MessageCandidate> = {
  account_id: { type: "text", of: ({ request }) => request.accountId },
  key: { type: "text", of: ({ request }) => request.idempotency!.key },
  fingerprint: { type: "text", of: ({ request }) => request.idempotency!.fingerprint },
  message_id: { type: "uuid", of: ({ uuid }) => uuid },
  target_id: { type: "text", of: ({ request }) => request.targetId },
  original_delivery_time: { type: "bigint", of: instantGiven },
};
const times = { scheduling_time: "$1::bigint", expiration_time: "$1::bigint + $2::bigint" };
const identifying = new Set(["account_id", "key"]);
const replaced = [...Object.keys(given), ...Object.keys(times), "answer"].filter(
  (column) => !identifying.has(column),
);

/** An expired key can be taken again. */
const takeStatement = `
  INSERT INTO idempotency_keys AS k (${namesOf(given)}, ${Object.keys(times).join(", ")})
  SELECT u.*, ${Object.values(times).join(", ")} FROM ${unnest(given, "u", 3)}
  ON CONFLICT (account_id, key)
    DO UPDATE SET ${replaced.map((column) => `${column} = excluded.${column}`).join(", ")}
  WHERE k.expiration_time <= $1::bigint
  RETURNING message_id`;

/** A repeat is answered with the instant that is stored here, unless `keepAnswers` keeps another answer. */
export async function takeKeys(
  run: Run,
  candidates: readonly MessageCandidate[],
  lifetime: { readonly now: number; readonly retentionMs: number },
): Promise<TakenKeys> {
  const first = new Map<string, MessageCandidate>();
  for (const candidate of candidates) {
    const key = keyOf(candidate);
    if (key !== undefined && !first.has(key)) first.set(key, candidate);
  }
  if (first.size === 0) return { open: candidates, repeats: [] };
  // In the order of the keys, so that two batches with the same keys cannot wait for each other.
  const ordered = [...first]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, candidate]) => candidate);
  const rows = await run({
    name: "take-idempotency-keys",
    text: takeStatement,
    values: [
      lifetime.now,
      lifetime.retentionMs,
      ...arraysOf(
        given,
        ordered.map((each) => timed(each, lifetime.now)),
      ),
    ],
  });
  const taken = new Set(rows.map((row) => row["message_id"] as string));
  const isOpen = (candidate: MessageCandidate): boolean =>
    keyOf(candidate) === undefined || taken.has(candidate.uuid);
  return {
    open: candidates.filter(isOpen),
    repeats: candidates.filter((candidate) => !isOpen(candidate)),
  };
}

/** Frees the keys of refused candidates for the next try. */
export async function giveKeysBack(run: Run, refused: readonly MessageCandidate[]): Promise<void> {
  const candidates = refused.filter((candidate) => keyOf(candidate) !== undefined);
  if (candidates.length === 0) return;
  await run({
    name: "give-idempotency-keys-back",
    text: `DELETE FROM idempotency_keys k
      USING unnest($1::text[], $2::text[]) AS u(account_id, key)
      WHERE k.account_id = u.account_id AND k.key = u.key`,
    values: [
      candidates.map(({ request }) => request.accountId),
      candidates.map(({ request }) => request.idempotency!.key),
    ],
  });
}

/** The answers for the repeats. There is none if the key was given back, or if it has expired by `now`. */
export async function firstAnswers(
  run: Run,
  repeats: readonly MessageCandidate[],
  now: number | null = null,
): Promise<Map<MessageCandidate, ScheduleResult>> {
  const answers = new Map<MessageCandidate, ScheduleResult>();
  if (repeats.length === 0) return answers;
  const rows = await run({
    name: "find-idempotency-keys",
    text: `SELECT k.* FROM idempotency_keys k
      JOIN unnest($1::text[], $2::text[]) AS u(account_id, key)
        ON k.account_id = u.account_id AND k.key = u.key
      WHERE $3::bigint IS NULL OR k.expiration_time > $3`,
    values: [
      repeats.map(({ request }) => request.accountId),
      repeats.map(({ request }) => request.idempotency!.key),
      now,
    ],
  });
  const byKey = new Map(rows.map((row) => [JSON.stringify([row["account_id"], row["key"]]), row]));
  for (const candidate of repeats) {
    const row = byKey.get(keyOf(candidate)!);
    if (row === undefined) continue;
    answers.set(
      candidate,
      row["fingerprint"] === candidate.request.idempotency!.fingerprint
        ? { kind: "repeated", ...firstAnswer(row, candidate) }
        : { kind: "key-reused" },
    );
  }
  return answers;
}

/** Undefined: it has no key. */
export function keyOf({ request }: MessageCandidate): string | undefined {
  return request.idempotency === null
    ? undefined
    : JSON.stringify([request.accountId, request.idempotency.key]);
}

/** The options are those of the repeated request, which is the same as the first. */
function firstAnswer(row: Row, { request: { options } }: MessageCandidate): FirstAnswer {
  if (row["answer"] !== null) return JSON.parse(row["answer"]) as FirstAnswer;
  const message = scheduled(
    {
      messageId: messageIdOf(row["message_id"]),
      targetId: row["target_id"],
      deliveryTime: row["original_delivery_time"],
      options,
    },
    row["scheduling_time"],
  );
  return { message };
}

/** Keeps answers that do not follow from the request and from the time at which its key was taken. */
export async function keepAnswers(
  run: Run,
  decided: ReadonlyMap<MessageCandidate, ScheduleResult>,
  { isLater }: { readonly isLater: boolean },
): Promise<void> {
  const answers = [...decided].flatMap(([{ request }, result]) => {
    if (result.kind !== "scheduled" && result.kind !== "kept") return [];
    const { message, keyOutcome } = result;
    if (request.idempotency === null || (keyOutcome === undefined && !isLater)) return [];
    return [{ request, answer: JSON.stringify({ message, keyOutcome }) }];
  });
  if (answers.length === 0) return;
  await run({
    name: "keep-first-answers",
    text: `UPDATE idempotency_keys k SET answer = u.answer
      FROM unnest($1::text[], $2::text[], $3::text[]) AS u(account_id, key, answer)
      WHERE k.account_id = u.account_id AND k.key = u.key`,
    values: [
      answers.map(({ request }) => request.accountId),
      answers.map(({ request }) => request.idempotency!.key),
      answers.map(({ answer }) => answer),
    ],
  });
}

interface FirstAnswer {
  readonly message: Message;
  /** Only for a message with a key. Its answer depends on what had the key. */
  readonly keyOutcome?: KeyOutcome;
}
