import { nameOf } from "../one-history/possible-message.ts";
import type { MessageStep, PossibleMessage } from "../one-history/possible-message.ts";
import type { Leniency } from "../one-history/leniency.ts";
import type { Step } from "../one-history/search.ts";

/** What a key and all messages that ever had it may be at one point of their history. */
export interface KeyPoint {
  readonly messages: ReadonlyMap<string, PossibleMessage>;
  /** Calls whose answer was lost, and which have had their effect. */
  readonly spent: ReadonlySet<number>;
}

export type KeyStep = Step<KeyPoint>;

export const untouched: KeyPoint = { messages: new Map(), spent: new Set() };

/** The scheduled message that has the key. There are several only if that rule is dropped. */
export interface KeyHolder {
  readonly messageId: string;
  readonly message: PossibleMessage;
}

export function holdersOf({ messages }: KeyPoint): KeyHolder[] {
  const holders: KeyHolder[] = [];
  for (const [messageId, message] of messages) {
    if (message.state === "SCHEDULED") holders.push({ messageId, message });
  }
  return holders;
}

/** The point with another state of one message. Undefined if two messages would then have the key. */
export function withMessage(
  point: KeyPoint,
  messageId: string,
  message: PossibleMessage,
  { mayShare = false }: Leniency,
): KeyPoint | undefined {
  const before = point.messages.get(messageId);
  if (before === message) return point;
  const isTaken =
    message.state === "SCHEDULED" &&
    before?.state !== "SCHEDULED" &&
    holdersOf(point).some((holder) => holder.messageId !== messageId);
  if (isTaken && !mayShare) return undefined;
  return { ...point, messages: new Map(point.messages).set(messageId, message) };
}

/** A step of one message as a step of its key. */
export function liftStep(step: MessageStep, messageId: string, leniency: Leniency): KeyStep {
  return {
    ...step,
    label: `${messageId}: ${step.label}`,
    sequenceOf: messageId,
    apply(point) {
      const message = point.messages.get(messageId);
      return message === undefined ? [] : appliedTo(point, messageId, step.apply(message));
    },
  };

  function appliedTo(
    point: KeyPoint,
    id: string,
    outcomes: readonly PossibleMessage[],
  ): readonly KeyPoint[] {
    return outcomes.flatMap((outcome) => withMessage(point, id, outcome, leniency) ?? []);
  }
}

export function nameOfPoint({ messages, spent }: KeyPoint): string {
  const each = [...messages].map(([messageId, message]) => `${messageId} ${nameOf(message)}`);
  return [...each.toSorted(), ...[...spent].toSorted((one, other) => one - other)].join("\n");
}

const unseen = "unseen ";

/** Stands for the id of a message that nobody has seen, made by the lost call with this number. */
export function unseenBy(number: number): string {
  return `${unseen}${number}`;
}

export function isUnseen(messageId: string): boolean {
  return messageId.startsWith(unseen);
}
