import type { Instant } from "../../src/domain/message.ts";
import type { Context } from "./context.ts";
import type { Due, KeyAsked, Refused, ScheduleAsked, Told, Unknown } from "./history.ts";
import type { MessageLog } from "./message-log.ts";
import type { KeyLog } from "./one-key/key-log.ts";

interface Line {
  readonly at: Instant;
  readonly text: string;
}

/** One message's events in order, one line each, in milliseconds since the first request. */
export function tellStory(log: MessageLog | undefined, context: Context): string[] {
  if (log === undefined) return [];
  const begin = Math.min(...log.schedules.map(({ askedAt }) => askedAt));
  return inOrder(linesOf(log, begin, context), begin, context);
}

/** The events of a key and of all its messages. */
export function tellKeyStory(keyLog: KeyLog | undefined, context: Context): string[] {
  if (keyLog === undefined) return [];
  const { calls, refusals, byKey, messages } = keyLog;
  const asked = [...calls.flatMap(({ asks }) => asks), ...refusals, ...byKey];
  const begin = Math.min(...asked.map(({ askedAt }) => askedAt));
  const lines = [
    ...asked.map((call) => keyLine(call, begin)),
    ...messages.flatMap((log) =>
      linesOf({ ...log, schedules: [] }, begin, context).map(({ at, text }) => ({
        at,
        text: `${log.messageId}: ${text}`,
      })),
    ),
  ];
  return inOrder(lines, begin, context);
}

function keyLine(call: ScheduleAsked | KeyAsked, begin: Instant): Line {
  const { askedAt, answeredAt, answer, writer, dueAt } = call;
  const what = "wantedKey" in call ? `${call.wantedKey?.onConflict} ${call.payload}` : call.verb;
  const due = typeof dueAt === "number" ? ` for ${dueAt - begin}` : delayOf(dueAt);
  const told =
    answer.kind === "ok"
      ? `${answer.keyOutcome ?? answer.message.state} ${answer.message.messageId}, next at ${(answer.message.nextDeliveryTime ?? NaN) - begin}`
      : answer.kind === "refused"
        ? `refused with ${answer.code}`
        : "unknown";
  return {
    at: askedAt,
    text: `${what}${due} by ${writer}: ${told} after ${answeredAt - askedAt} ms`,
  };
}

function delayOf(due: Exclude<Due, number> | null): string {
  return due === null ? "" : ` in ${due.delayMs}`;
}

function linesOf(log: MessageLog, begin: Instant, { takenAt }: Context): Line[] {
  const after = (at: Instant | null): string => (at === null ? "none" : `${at - begin}`);
  const wanted = (due: Due): string =>
    typeof due === "number" ? after(due) : `${due.delayMs} ms later`;
  const answered = (askedAt: Instant, answeredAt: Instant, answer: Told | Refused | Unknown) =>
    `${told(answer)} after ${answeredAt - askedAt} ms`;
  function told(answer: Told | Refused | Unknown): string {
    if (answer.kind === "unknown") return "unknown";
    if (answer.kind === "refused") return `refused with ${answer.code}`;
    const { state, nextDeliveryTime, deliveryFailureCount } = answer.message;
    return `${state}, next at ${after(nextDeliveryTime)}, ${deliveryFailureCount} failed,`;
  }
  return [
    ...log.schedules.map(({ askedAt, answeredAt, answer, writer, dueAt, verb }) => ({
      at: askedAt,
      text: `${verb} for ${wanted(dueAt)} by ${writer}: ${answered(askedAt, answeredAt, answer)}`,
    })),
    ...log.changes.map(({ askedAt, answeredAt, answer, writer, dueAt, verb }) => ({
      at: askedAt,
      text: `${verb}${dueAt === null ? "" : ` to ${wanted(dueAt)}`} by ${writer}: ${answered(askedAt, answeredAt, answer)}`,
    })),
    ...log.sightings.map(({ askedAt, answeredAt, message, by }) => ({
      at: askedAt,
      text: `${by}: ${answered(askedAt, answeredAt, message === null ? { kind: "refused", code: "404" } : { kind: "ok", message })}`,
    })),
    ...log.receipts.map(({ startedAt, endedAt, attemptNumber, status, node }) => ({
      at: startedAt,
      text: `attempt ${attemptNumber} reaches the target${node === null ? "" : ` from ${node}`}, ends at ${after(endedAt)} with ${status ?? "no answer"}`,
    })),
    ...(log.final?.attempts ?? []).map(({ number, startTime, endTime, outcome, statusCode }) => ({
      at: startTime,
      text: `attempt ${number} on record, to ${after(endTime)}, ${outcome}${statusCode === null ? "" : ` ${statusCode}`}`,
    })),
    {
      at: takenAt,
      text: `in the end: ${log.final === undefined ? "nobody looked" : log.final === null ? "gone" : told({ kind: "ok", message: log.final.message })}`,
    },
  ];
}

function inOrder(events: readonly Line[], begin: Instant, { faults, takenAt }: Context): string[] {
  const lines = [...events];
  const after = (at: Instant): string => `${at - begin}`;
  const last = Math.max(...lines.map(({ at }) => at).filter((at) => at < takenAt));
  for (const fault of faults) {
    if (fault.at < begin || fault.at > last + 1_000 || lines.length > 120) continue;
    const whom = fault.kind === "hang" ? fault.targetId : (fault.node ?? "every node");
    const which =
      fault.kind === "statement" ? ` ${fault.statement}, to ${after(fault.until)},` : "";
    lines.push({ at: fault.at, text: `fault: ${fault.kind}${which} of ${whom}` });
  }
  return lines
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, text }) => `${String(at - begin).padStart(8)} ms  ${text}`);
}
