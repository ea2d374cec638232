import type { Context } from "../context.ts";
import type { Leniency } from "../one-history/leniency.ts";
import type { PossibleMessage } from "../one-history/possible-message.ts";
import { askedBy } from "./key-log.ts";
import type { KeyedCall } from "./key-log.ts";
import { holdersOf, unseenBy, withMessage } from "./key-point.ts";
import type { KeyPoint, KeyStep } from "./key-point.ts";
import { createdIn, met } from "./meetings.ts";
import type { Newcomer } from "./meetings.ts";
import { spanWith } from "./replacing.ts";

/** A call whose answer was lost, with its number among those. */
export interface LostCall {
  readonly number: number;
  readonly call: KeyedCall;
}

/** A message that somebody has seen, made by a call whose answer was lost. */
export function appearingStep(
  { messageId, schedulingTime, isOptional, seenFrom, hints }: Appearing,
  lost: readonly LostCall[],
  { bounds }: Context,
  leniency: Leniency,
): KeyStep {
  const { clockUncertaintyMs: apartMs } = bounds;
  const first = Math.min(...lost.map(({ call }) => call.from));
  // The call that has its payload comes first, because it most likely made it.
  const inOrder = lost.toSorted((one, other) => rank(one, hints) - rank(other, hints));
  const known = schedulingTime !== undefined;
  return {
    label: `${messageId} appears`,
    from: known ? Math.max(first, schedulingTime - apartMs) : first,
    until: known ? schedulingTime + apartMs : seenFrom,
    isOptional,
    sequence: null,
    guess: schedulingTime ?? seenFrom,
    apply(point) {
      if (point.messages.has(messageId)) return [];
      return inOrder.flatMap(({ number, call }) => {
        if (point.spent.has(number) && !leniency.mayRepeat) return [];
        const span = { min: call.from - apartMs, max: Infinity };
        const at = spanWith(span, schedulingTime);
        if (at === undefined) return [];
        return madeBy(point, { asked: askedBy(call), messageId, at }, leniency).map((next) =>
          spend(next, number),
        );
      });
    },
  };
}

export interface Appearing {
  readonly messageId: string;
  /** Undefined if nobody was shown it. */
  readonly schedulingTime: number | undefined;
  /** A call that was told may have made it instead. */
  readonly isOptional: boolean;
  readonly seenFrom: number;
  /** Payloads that it was seen with. */
  readonly hints: ReadonlySet<string>;
}

function rank({ call }: LostCall, hints: ReadonlySet<string>): number {
  return hints.has(askedBy(call).payload) ? 0 : 1;
}

function madeBy(point: KeyPoint, newcomer: Newcomer, leniency: Leniency): KeyPoint[] {
  const { asked, messageId, at } = newcomer;
  const holders = holdersOf(point);
  const anew = holders.flatMap((holder) => met(point, holder, newcomer, leniency));
  const isFree = holders.length === 0 || leniency.mayShare;
  return isFree ? [...anew, ...createdIn(point, asked, messageId, at, leniency)] : anew;
}

/**
 * The other effects of a call whose answer was lost: it replaced a content, or it made a message that nobody has
 * seen.
 */
export function lostStep(
  { number, call }: LostCall,
  mayBeUnseen: boolean,
  { bounds }: Context,
  leniency: Leniency,
): KeyStep {
  const asked = askedBy(call);
  const at = { min: call.from - bounds.clockUncertaintyMs, max: Infinity };
  return {
    label: `${asked.wantedKey!.onConflict} → unknown`,
    from: call.from,
    until: Infinity,
    isOptional: true,
    sequence: null,
    guess: asked.answeredAt,
    apply(point) {
      if (point.spent.has(number)) return [];
      const inPlace = holdersOf(point).flatMap((holder) =>
        met(point, holder, { asked, messageId: holder.messageId, at }, leniency),
      );
      const unseen = mayBeUnseen
        ? madeBy(point, { asked, messageId: unseenBy(number), at }, leniency)
        : [];
      return [...inPlace, ...unseen].map((next) => spend(next, number));
    },
  };
}

/** A message that nobody has seen may have ended at any time after it was due. */
export function unseenEndStep({ number, call }: LostCall): KeyStep {
  return {
    label: "a message that nobody saw ends",
    from: call.from,
    until: Infinity,
    isOptional: true,
    sequence: null,
    guess: Infinity,
    apply(point) {
      const message = point.messages.get(unseenBy(number));
      if (message?.state !== "SCHEDULED") return [];
      const since = { min: Math.max(message.since.min, message.next!.min), max: Infinity };
      const ended: PossibleMessage = { ...message, state: "DEAD_LETTER", next: null, since };
      const next = withMessage(point, unseenBy(number), ended, {});
      return next === undefined ? [] : [next];
    },
  };
}

function spend(point: KeyPoint, number: number): KeyPoint {
  return { ...point, spent: new Set(point.spent).add(number) };
}
