import type { Context } from "../context.ts";
import type { ChangeAsked } from "../history.ts";
import type { MatchedAttempts } from "../match-attempts.ts";
import { toldMessages } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Leniency } from "../one-history/leniency.ts";
import { removedBy } from "../one-history/possible-message.ts";
import { findOrder } from "../one-history/search.ts";
import type { SearchResult } from "../one-history/search.ts";
import { outrunSteps, stepsOf } from "../one-history/steps.ts";
import type { Promised, Report } from "../violation.ts";
import { refusedStep, toldStep } from "./answered-calls.ts";
import { byKeySteps } from "./by-key-steps.ts";
import { creatorsOf } from "./key-log.ts";
import type { KeyLog } from "./key-log.ts";
import { holdersOf, isUnseen, liftStep, nameOfPoint, untouched } from "./key-point.ts";
import type { KeyPoint, KeyStep } from "./key-point.ts";
import { appearingStep, lostStep, unseenEndStep } from "./lost-calls.ts";
import type { Appearing } from "./lost-calls.ts";

/** Many calls that wait for the same attempt are decided within a millisecond, in any order. */
const mostTried = 1_000_000;

/** Tried in this order. The first rule whose removal explains the history names the broken promise. */
const explanations: readonly (readonly [Promised, Leniency, string])[] = [
  ["KEY", { mayShare: true }, "had two scheduled messages at once"],
  ["KEY", { mayForget: true }, "was given to a call and acknowledged so, and the effect is gone"],
  ["KEY", { mayRepeat: true }, "was taken twice by a call whose answer was lost"],
  ["G1", { mayBeLost: true }, "had a message that was acknowledged and is gone"],
  ["G3", { mayVanish: true }, "had a message that was not there for a while"],
  ["G18", { mayDefy: true }, "had a message that was changed by a call that was refused"],
  ["G4", { mayBeEarly: true }, "had a message that was attempted before it was due"],
  ["OPT", { mayBeLate: true }, "had a message that was attempted after its notAfter"],
  ["G11", { mayMiscount: true }, "had a message that was tried again or given up wrongly"],
];

/** What the search needs to know about one message of the key. */
export interface JudgedMessage {
  readonly log: MessageLog;
  /** The same with the changes that calls for the key may have made to it. */
  readonly implied: MessageLog;
  readonly matched: MatchedAttempts;
}

/**
 * Operations on one key are linearizable, with all changes of and attempts at the messages that have it: some
 * order of its events, within the times of each event, makes every answer correct.
 */
export function checkOneKey(
  log: KeyLog,
  messages: readonly JudgedMessage[],
  isComplete: boolean,
  context: Context,
  report: Report,
): number {
  const search = (leniency: Leniency): SearchResult =>
    findOrder(stepsOfKey(log, messages, isComplete, context, leniency), untouched, {
      mostSteps: mostTried,
      nameOf: nameOfPoint,
    });
  const { verdict, tried, stuckAt } = search({});
  if (verdict === "explained") return tried;
  if (verdict === "undecided") {
    report("KEY", `could not be judged: ${mostTried} steps were not enough to order its events`);
    return tried;
  }
  for (const [promise, leniency, says] of explanations) {
    if (search(leniency).verdict !== "explained") continue;
    report(promise, `${says} (nothing else explains "${stuckAt}")`);
    return tried;
  }
  report("KEY", `has a history that no order of its events explains: "${stuckAt}" fits nowhere`);
  return tried;
}

function stepsOfKey(
  log: KeyLog,
  messages: readonly JudgedMessage[],
  isComplete: boolean,
  context: Context,
  leniency: Leniency,
): KeyStep[] {
  const { bounds, takenAt } = context;
  const told = log.calls.filter((call) => call.told !== null);
  const lost = log.calls
    .filter((call) => call.told === null)
    .map((call, number) => ({ call, number }));
  const seenPayloads = new Set(messages.flatMap(({ log: message }) => [...payloadsOf(message)]));
  const expiresBy = takenAt - (bounds.retentionMs ?? 0);
  const mayBeUnseen = (from: number): boolean => !isComplete || from < expiresBy;
  return [
    ...told.map((call) => toldStep(call, seenPayloads, context, leniency)),
    ...log.refusals.flatMap((asked) => refusedStep(asked, context) ?? []),
    ...log.byKey.flatMap((call) => byKeySteps(call, context, leniency)),
    ...messages.flatMap(({ log: message }) => {
      const appearing = appearingOf(message, log, context);
      return appearing ? [appearingStep(appearing, lost, context, leniency)] : [];
    }),
    ...lost.flatMap((each) => {
      const isUnseen = mayBeUnseen(each.call.from);
      const step = lostStep(each, isUnseen, context, leniency);
      return isUnseen ? [step, unseenEndStep(each)] : [step];
    }),
    ...messages.flatMap(({ log: message, implied, matched }) => [
      ...[...stepsOf(message, matched, context, leniency), ...outrunSteps(implied)].map((step) =>
        liftStep(step, message.messageId, leniency),
      ),
      ...message.changes.flatMap((change) => keyTakenStep(change) ?? []),
    ]),
    ...(isComplete && lost.length > 0 ? [nothingElseStep(context)] : []),
  ];
}

/** A message that has no told creator was made by a call whose answer was lost. */
function appearingOf(message: MessageLog, log: KeyLog, { bounds }: Context): Appearing | undefined {
  const { messageId, final, receipts, sightings, changes } = message;
  const [creator] = creatorsOf(log.calls, messageId, bounds.clockUncertaintyMs);
  if (creator?.told?.keyOutcome === "created") return undefined;
  const shown = [
    ...toldMessages(message).map((each) => each.message),
    ...(final == null ? [] : [final.message]),
    ...log.byKey.flatMap(({ answer }) => (answer.kind === "ok" ? [answer.message] : [])),
    ...log.calls.flatMap(({ told }) => (told === null ? [] : [told.message])),
  ].find((each) => each.messageId === messageId);
  const seen = [...receipts.map(({ startedAt }) => startedAt), ...sightings.map(answeredAt)];
  return {
    messageId,
    schedulingTime: shown?.schedulingTime,
    isOptional: creator !== undefined,
    seenFrom: Math.min(...seen, ...changes.map(answeredAt)),
    hints: payloadsOf(message),
  };
}

/** The payloads that it was seen with. */
function payloadsOf({ receipts, final }: MessageLog): ReadonlySet<string> {
  const bodies = receipts.map(({ body }) => Buffer.from(body).toString());
  return new Set(final?.payload == null ? bodies : [final.payload, ...bodies]);
}

function answeredAt(event: { readonly answeredAt: number }): number {
  return event.answeredAt;
}

/** A message that has ended does not come back while another has its key. */
function keyTakenStep({ messageId, verb, answer, askedAt, answeredAt }: ChangeAsked) {
  if (answer.kind !== "refused" || answer.code !== "E-DI-5008") return undefined;
  return {
    label: `${messageId}: ${verb} → refused with ${answer.code}`,
    from: askedAt,
    until: answeredAt,
    isOptional: false,
    sequence: null,
    guess: answeredAt,
    apply(point: KeyPoint): KeyPoint[] {
      const state = point.messages.get(messageId)?.state;
      const isEnded = state === "CANCELLED" || state === "DEAD_LETTER";
      return isEnded && holdersOf(point).length > 0 ? [point] : [];
    },
  };
}

/** All that is there has been seen, so messages that nobody saw have expired. */
function nothingElseStep({ takenAt, bounds }: Context): KeyStep {
  const { clockUncertaintyMs: apartMs, retentionMs } = bounds;
  return {
    label: "nothing else is there",
    from: takenAt,
    until: takenAt,
    isOptional: false,
    sequence: null,
    guess: Infinity,
    apply(point) {
      const others = [...point.messages].filter(([messageId]) => isUnseen(messageId));
      const areGone = others.every(([, message]) =>
        removedBy(message, takenAt + apartMs, retentionMs),
      );
      return areGone ? [point] : [];
    },
  };
}
