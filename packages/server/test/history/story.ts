import type { Instant } from "../../src/domain/message.ts";
import type { Context } from "./context.ts";
import type { Due, Refused, Told, Unknown } from "./history.ts";
import type { MessageLog } from "./message-log.ts";

interface Line {
  readonly at: Instant;
  readonly text: string;
}

/** One message's events in order, one line each, in milliseconds since the first request. */
export function tellStory(log: MessageLog | undefined, { faults, takenAt }: Context): string[] {
  if (log === undefined) return [];
  const begin = Math.min(...log.schedules.map(({ askedAt }) => askedAt));
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
  const lines: Line[] = [
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
  const last = Math.max(...lines.map(({ at }) => at).filter((at) => at < takenAt));
  for (const fault of faults) {
    if (fault.at < begin || fault.at > last + 1_000 || lines.length > 60) continue;
    const whom = fault.kind === "hang" ? fault.targetId : (fault.node ?? "every node");
    const which =
      fault.kind === "statement" ? ` ${fault.statement}, to ${after(fault.until)},` : "";
    lines.push({ at: fault.at, text: `fault: ${fault.kind}${which} of ${whom}` });
  }
  return lines
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, text }) => `${String(at - begin).padStart(8)} ms  ${text}`);
}
