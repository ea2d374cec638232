import type { ScheduleAsked } from "../history.ts";
import type { Leniency } from "../one-history/leniency.ts";
import { dueFrom } from "../one-history/possible-message.ts";
import type { Span } from "../one-history/possible-message.ts";
import { mayReplace } from "./key-log.ts";
import { isUnseen, withMessage } from "./key-point.ts";
import type { KeyHolder, KeyPoint } from "./key-point.ts";
import { begun, displaced, dueBeside, rewritten } from "./replacing.ts";

/** The point with a new message under a free key. */
export function createdIn(
  point: KeyPoint,
  asked: ScheduleAsked,
  messageId: string,
  at: Span,
  leniency: Leniency,
): KeyPoint[] {
  const message = begun(asked, dueFrom(asked.dueAt, at), at);
  return (message && orNone(withMessage(point, messageId, message, leniency))) ?? [];
}

export interface Newcomer {
  readonly asked: ScheduleAsked;
  /** Of the message that the call stores. The holder's own, if that gets another content. */
  readonly messageId: string;
  readonly at: Span;
}

/** What becomes of the holder of a key and of a newcomer that replaces it. */
export function met(
  point: KeyPoint,
  { messageId: heldBy, message: holder }: KeyHolder,
  { asked, messageId, at }: Newcomer,
  leniency: Leniency,
): KeyPoint[] {
  if (!mayReplace(asked)) return [];
  if (heldBy === messageId) {
    // A receiver may know a message that was attempted, and take it for a repetition.
    const changed = holder.last === null ? rewritten(holder, asked, at) : undefined;
    return (changed && orNone(withMessage(point, heldBy, changed, leniency))) ?? [];
  }
  if (holder.last === null && !isUnseen(heldBy)) return [];
  const ended = displaced(holder, at);
  const begins = begun(asked, dueBeside(holder, asked, at), at);
  if (ended === undefined || begins === undefined) return [];
  const freed = withMessage(point, heldBy, ended, leniency);
  return (freed && orNone(withMessage(freed, messageId, begins, leniency))) ?? [];
}

function orNone(point: KeyPoint | undefined): KeyPoint[] {
  return point === undefined ? [] : [point];
}
