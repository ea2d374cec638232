import type { Message } from "../../../src/domain/message.ts";
import type { Asked, ChangeAsked, FinalMessage, History, Receipt } from "../history.ts";
import type { Promised } from "../violation.ts";
import type { Chance } from "./chance.ts";

/** One lie in an otherwise true history. Undefined if the history has no event to lie about. */
export interface Tampering {
  /** The judge must find one of these promises broken. */
  readonly breaks: readonly Promised[];
  tamper(history: History, chance: Chance): History | undefined;
}

export type Keep = readonly [string, FinalMessage];

export function keptOf({ final }: History): Keep[] {
  return [...final.messages].filter((each): each is [string, FinalMessage] => each[1] !== null);
}

export function withFinal(history: History, messageId: string, kept: FinalMessage | null): History {
  const messages = new Map(history.final.messages).set(messageId, kept);
  return { ...history, final: { ...history.final, messages } };
}

export function withMessage(history: History, keep: Keep | undefined, shown: Partial<Message>) {
  if (keep === undefined) return undefined;
  const [messageId, kept] = keep;
  return withFinal(history, messageId, { ...kept, message: { ...kept.message, ...shown } });
}

export function withReceipt(history: History, old: Receipt | undefined, ...now: Receipt[]) {
  if (old === undefined) return undefined;
  return {
    ...history,
    receipts: history.receipts.flatMap((each) => (each === old ? now : [each])),
  };
}

export function withAsked(history: History, old: Asked | undefined, now: Asked) {
  if (old === undefined) return undefined;
  return { ...history, asked: history.asked.map((each) => (each === old ? now : each)) };
}

export const changesOf = ({ asked }: History, messageId: string): ChangeAsked[] =>
  asked.filter(
    (call): call is ChangeAsked =>
      (call.verb === "cancel" || call.verb === "reschedule") && call.messageId === messageId,
  );

export const isTold = (call: Asked): call is Asked & { answer: { kind: "ok"; message: Message } } =>
  call.verb !== "list page" && call.answer.kind === "ok";

/** The final cancellation, if no later or lost call may have revived the message. */
export function lastCancel(
  history: History,
  [messageId, { message }]: Keep,
): ChangeAsked | undefined {
  if (message.state !== "CANCELLED") return undefined;
  const changes = changesOf(history, messageId);
  const others = changes.filter(({ answer }) => answer.kind !== "refused");
  return others.length === 1 && others[0]!.answer.kind === "ok" ? others[0] : undefined;
}

export const untouched = (history: History): Keep[] =>
  keptOf(history).filter(([messageId]) => changesOf(history, messageId).length === 0);

export const recordedReceipts = (history: History): Receipt[] =>
  history.receipts.filter(({ messageId, status }) => {
    const kept = history.final.messages.get(messageId);
    return status === 204 && kept?.message.state === "DELIVERED";
  });

/** The history if it has no fault that could explain a violation. */
export const calm = (history: History): History | undefined =>
  history.faults.length === 0 ? history : undefined;
