import type { Context } from "../context.ts";
import type { Receipt } from "../history.ts";
import { effectBy } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import { payloadOf } from "../one-key/key-log.ts";
import type { KeyedCall, KeyLog } from "../one-key/key-log.ts";
import type { Report } from "../violation.ts";

/** What keys promise, as far as it needs no order of events. */
export function checkKeys(log: KeyLog, context: Context, report: Report): void {
  checkHolders(log, report);
  checkPayloads(log, context, report);
  checkReplaced(log, context, report);
}

/** At most one scheduled message has the key. */
function checkHolders({ messages }: KeyLog, report: Report): void {
  const scheduled = messages.filter(({ final }) => final?.message.state === "SCHEDULED");
  if (scheduled.length < 2) return;
  const names = scheduled.map(({ messageId }) => messageId).join(" and ");
  report("KEY", `has ${scheduled.length} scheduled messages in the end, ${names}`);
}

/** G16: each attempt and each message has the payload of a call, byte for byte. */
function checkPayloads({ calls, messages }: KeyLog, { bounds }: Context, report: Report): void {
  const givenFrom = new Map(calls.map((call) => [payloadOf(call), call.from]));
  const isGiven = (payload: string, by: number): boolean =>
    (givenFrom.get(payload) ?? Infinity) <= by + bounds.clockUncertaintyMs;
  for (const { messageId, receipts, final } of messages) {
    for (const { body, startedAt, attemptNumber } of receipts) {
      const payload = Buffer.from(body).toString();
      if (Buffer.from(payload).equals(body) && isGiven(payload, startedAt)) continue;
      const which = `${messageId} (attempt ${attemptNumber})`;
      report("G16", `had ${which} come with bytes that no call had given`);
    }
    if (final?.payload != null && !isGiven(final.payload, Infinity)) {
      report("G16", `has ${messageId} kept with bytes that no call had given`);
    }
  }
}

/** After the answer to a call that replaces, no attempt with an older content runs and none starts. */
function checkReplaced({ calls, messages }: KeyLog, context: Context, report: Report): void {
  const callOf = new Map(calls.map((call) => [payloadOf(call), call]));
  const replacing = calls.filter(isReplacing);
  for (const message of messages) {
    for (const receipt of message.receipts) {
      const content = callOf.get(Buffer.from(receipt.body).toString());
      const by = replacing.find(
        (call) => content !== undefined && isAfter(receipt, content, call, message, context),
      );
      if (by === undefined) continue;
      const afterMs = receipt.startedAt - by.until;
      const when = afterMs > 0 ? `${afterMs} ms after` : `when`;
      const what = `${message.messageId} attempted with an old payload ${when} it was replaced`;
      report("KEY", `had ${what} (attempt ${receipt.attemptNumber})`);
      return;
    }
  }
}

function isReplacing({ told }: KeyedCall): boolean {
  const { keyOutcome } = told ?? {};
  return keyOutcome === "replaced" || keyOutcome === "debounced";
}

/** Whether the attempt runs after the call was answered, though its content is older than the call. */
function isAfter(
  receipt: Receipt,
  content: KeyedCall,
  call: KeyedCall,
  { changes }: MessageLog,
  { deaths, seenApartMs }: Context,
): boolean {
  const { startedAt, endedAt } = receipt;
  // The order of events within one millisecond is unknown.
  if (content === call || content.until >= call.from) return false;
  if ((endedAt ?? Infinity) <= call.until + seenApartMs || deaths.explainLate(receipt))
    return false;
  if (startedAt <= call.until && deaths.explainOverlap(receipt, call.until)) return false;
  // A message that was replaced may have come back since, and with it its content.
  return !changes.some(
    (change) =>
      change.verb === "reschedule" &&
      change.answer.kind !== "refused" &&
      change.askedAt <= startedAt &&
      effectBy(change) >= call.from,
  );
}
