import type { ChangeAsked, KeyAsked } from "../history.ts";
import type { MessageLog, Sighting } from "../message-log.ts";
import { askedBy, creatorOf, mayReplace } from "./key-log.ts";
import type { KeyedCall, KeyLog } from "./key-log.ts";

const unknown = { kind: "unknown" } as const;

/**
 * The message, and what the calls for its key mean to it alone: a replaced content is a new time, a message that
 * takes over the key is a cancel, and a call whose answer was lost may have been either.
 */
export function withImpliedChanges(
  log: MessageLog,
  { calls, byKey }: KeyLog,
  apartMs: number,
): MessageLog {
  const creator = creatorOf(calls, log.messageId, apartMs);
  const changes = [
    ...log.changes,
    ...calls.flatMap((call) => (call === creator ? [] : changesBy(call, log))),
    ...byKey.flatMap((call) => changeByKey(call, log)),
  ];
  return {
    ...log,
    changes: changes.toSorted((one, other) => one.askedAt - other.askedAt),
    sightings: [...log.sightings, ...sightingsOf(log, calls, byKey)],
  };
}

function changesBy(call: KeyedCall, log: MessageLog): ChangeAsked[] {
  const asked = askedBy(call);
  const { told, from, until } = call;
  if (!mayReplace(asked)) return [];
  const { messageId } = log;
  const { accountId, writer, dueAt, options } = asked;
  const base = { accountId, writer, messageId, askedAt: from };
  const bound = options?.bound ?? null;
  if (told === null) {
    // The instant of a time that is kept or debounced is not known.
    const time = asked.wantedKey!.onConflict === "replace" ? dueAt : -Infinity;
    const answeredAt = asked.answeredAt;
    const change = { ...base, verb: "reschedule", dueAt: time, bound, answeredAt } as const;
    return [{ ...change, answer: unknown }];
  }
  if (told.message.messageId === messageId) {
    const time = told.message.nextDeliveryTime;
    const change = { ...base, verb: "reschedule", dueAt: time, bound, answeredAt: until } as const;
    return [{ ...change, answer: told }];
  }
  if (told.keyOutcome === "created" || !mayBeReplaced(log)) return [];
  const cancel = { ...base, verb: "cancel", dueAt: null, answeredAt: until } as const;
  return [{ ...cancel, answer: unknown }];
}

function mayBeReplaced({ final, changes }: MessageLog): boolean {
  const isRevivable = changes.some(({ verb }) => verb === "reschedule");
  return final == null || isRevivable || final.message.endReason === "REPLACED";
}

function changeByKey(call: KeyAsked, { messageId }: MessageLog): ChangeAsked[] {
  const { verb, answer, accountId, writer, askedAt, answeredAt, dueAt, bound } = call;
  if (verb === "get by key" || answer.kind === "refused") return [];
  if (answer.kind === "ok" && answer.message.messageId !== messageId) return [];
  const change = { accountId, writer, askedAt, answeredAt, messageId, dueAt, answer };
  return [
    {
      ...change,
      verb: verb === "cancel by key" ? "cancel" : "reschedule",
      ...(bound !== undefined && { bound }),
    },
  ];
}

function sightingsOf(
  { messageId }: MessageLog,
  calls: readonly KeyedCall[],
  byKey: readonly KeyAsked[],
): Sighting[] {
  const kept = calls.flatMap(({ told, from, until }): Sighting[] =>
    told?.keyOutcome === "kept" && told.message.messageId === messageId
      ? [{ askedAt: from, answeredAt: until, message: told.message, by: "kept" }]
      : [],
  );
  const seen = byKey.flatMap(({ verb, answer, askedAt, answeredAt }): Sighting[] =>
    verb === "get by key" && answer.kind === "ok" && answer.message.messageId === messageId
      ? [{ askedAt, answeredAt, message: answer.message, by: verb }]
      : [],
  );
  return [...kept, ...seen];
}
