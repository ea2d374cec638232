import type { Message } from "../../../src/domain/message.ts";
import type { Context } from "../context.ts";
import type { Receipt } from "../history.ts";
import type { MatchedAttempts } from "../match-attempts.ts";
import { isSuccess } from "../message-log.ts";
import type { MessageLog, Sighting } from "../message-log.ts";
import { mayBeUnheard } from "../unheard.ts";
import { attempted } from "./attempt-step.ts";
import type { MadeAttempt } from "./attempt-step.ts";
import { changeSteps } from "./change-steps.ts";
import type { Leniency } from "./leniency.ts";
import { exactly, isOverBy, narrowedBy, outrun, removedBy } from "./possible-message.ts";
import type { MessageStep, PossibleMessage, Span } from "./possible-message.ts";

/** Everything that happened to one message after its creation. */
export function stepsOf(
  log: MessageLog,
  matched: MatchedAttempts,
  context: Context,
  leniency: Leniency,
): MessageStep[] {
  return [
    ...log.changes.flatMap((change) => changeSteps(change, context, leniency)),
    ...(log.messageKey === null ? outrunSteps(log) : []),
    ...log.sightings.map((sighting) => sightingStep(sighting, context, leniency)),
    ...(log.final == null
      ? log.receipts.map((receipt, index) => seenAttempt(log, receipt, index, context, leniency))
      : log.final.attempts.map((attempt) =>
          attemptStep(
            `attempt ${attempt.number}`,
            attempt.number,
            [
              {
                ...attempt,
                startTime: exactly(attempt.startTime),
                // An attempt's end is rounded to the millisecond.
                endedFrom: attempt.endTime - 1 - context.bounds.clockUncertaintyMs,
                payload: bodyOf(matched.receiptOf.get(attempt.number)),
                policy: leniency.mayMiscount ? null : log.retryPolicy,
              },
            ],
            matched.receiptOf.get(attempt.number)?.startedAt ?? -Infinity,
            context,
            leniency,
          ),
        )),
    ...finalSteps(log, context, leniency),
  ];
}

/** A message may end by its bound each time that it was planned. */
export function outrunSteps({ options, schedules, changes }: MessageLog): MessageStep[] {
  // With a key and lost answers, it may not be known which of the calls has made it.
  const isBounded =
    options.bound !== undefined ||
    schedules.some((asked) => asked.options?.bound !== undefined) ||
    changes.some(({ bound }) => bound != null);
  if (!isBounded) return [];
  return [
    {
      label: "ended by its notAfter",
      from: -Infinity,
      until: Infinity,
      isOptional: true,
      isRepeatable: true,
      sequence: null,
      guess: Infinity,
      apply: (message) => orNone(outrun(message)),
    },
  ];
}

/** The recorded outcome is one of the possible ones. */
function attemptStep(
  label: string,
  sequence: number,
  readings: readonly MadeAttempt[],
  seenFrom: number,
  { bounds }: Context,
  leniency: Leniency,
): MessageStep {
  const from = Math.max(seenFrom, ...readings.map(({ endedFrom }) => endedFrom));
  return {
    label,
    from,
    until: Infinity,
    isOptional: false,
    sequence,
    guess: from,
    apply: (message) =>
      readings.flatMap((attempt) =>
        attempted(message, attempt, bounds.clockUncertaintyMs, leniency),
      ),
  };
}

/** If the record is gone, what the target observed may have been on it. */
function seenAttempt(
  log: MessageLog,
  receipt: Receipt,
  sequence: number,
  context: Context,
  leniency: Leniency,
): MessageStep {
  const { startedAt, status } = receipt;
  const { clockUncertaintyMs, sendMs } = context.bounds;
  const unanswered: MadeAttempt = {
    startTime: {
      min: startedAt - sendMs - clockUncertaintyMs,
      max: startedAt + clockUncertaintyMs,
    },
    endedFrom: startedAt - clockUncertaintyMs,
    outcome: "TIMEOUT",
    statusCode: null,
    payload: bodyOf(receipt),
    policy: null,
  };
  const readings: MadeAttempt[] = [];
  if (status !== null) {
    const outcome = isSuccess(status) ? "DELIVERED" : "BAD_STATUS";
    readings.push({ ...unanswered, outcome, statusCode: status, policy: log.retryPolicy });
  }
  if (status === null || mayBeUnheard(receipt, log, context)) readings.push(unanswered);
  const step = attemptStep("an attempt", sequence, readings, startedAt, context, leniency);
  return { ...step, isOptional: true, isLikely: true };
}

function sightingStep(
  { askedAt, answeredAt, message: shown, by }: Sighting,
  { bounds }: Context,
  { mayVanish = false }: Leniency,
): MessageStep {
  const { retentionMs, clockUncertaintyMs: apartMs } = bounds;
  return {
    label: shown === null ? `${by} → not there` : `${by} → ${shown.state}`,
    from: askedAt,
    until: answeredAt,
    isOptional: false,
    sequence: null,
    guess: answeredAt,
    apply(message) {
      if (shown !== null) {
        const when = { min: askedAt - apartMs, max: answeredAt + apartMs };
        return seen(message, shown, when, retentionMs);
      }
      if (mayVanish) return [message];
      return orNone(removedBy(message, answeredAt + apartMs, retentionMs));
    },
  };
}

/** The final look at the message, after every recorded attempt. */
function finalSteps(
  { final }: MessageLog,
  { takenAt, bounds }: Context,
  { mayBeLost = false }: Leniency,
): MessageStep[] {
  if (final === undefined || (final === null && mayBeLost)) return [];
  const { retentionMs, clockUncertaintyMs: apartMs } = bounds;
  return [
    {
      label: final === null ? "gone in the end" : `${final.message.state} in the end`,
      from: takenAt,
      until: takenAt,
      isOptional: false,
      sequence: Infinity,
      guess: Infinity,
      apply(message) {
        if (final === null) return orNone(removedBy(message, takenAt + apartMs, retentionMs));
        const { content } = message;
        if (content !== null && (final.payload ?? content.payload) !== content.payload) return [];
        const when = { min: takenAt - apartMs, max: takenAt + apartMs };
        return seen(message, final.message, when, retentionMs);
      },
    },
  ];
}

/** The message has reached this state and has not expired. */
function seen(
  message: PossibleMessage,
  shown: Message,
  when: Span,
  retentionMs: number | null,
): PossibleMessage[] {
  const narrowed = narrowedBy(message, shown, retentionMs);
  if (narrowed === undefined || narrowed.since.min > when.max) return [];
  return isOverBy(narrowed, when.min, retentionMs) ? [] : [narrowed];
}

function bodyOf(receipt: Receipt | undefined): string | null {
  return receipt === undefined ? null : Buffer.from(receipt.body).toString();
}

function orNone(message: PossibleMessage | undefined): PossibleMessage[] {
  return message === undefined ? [] : [message];
}
