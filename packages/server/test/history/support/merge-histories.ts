import type { Message } from "../../../src/domain/message.ts";
import type { Asked, History } from "../history.ts";

/** Merges several histories into one, each with its own names. */
export function mergeHistories(histories: readonly History[]): History {
  const named = histories.map(rename);
  const [first] = named;
  const takenAt = Math.max(...named.map(({ final }) => final.takenAt));
  return {
    ...first!,
    asked: named.flatMap(({ asked }) => asked),
    receipts: named.flatMap(({ receipts }) => receipts),
    faults: named.flatMap(({ faults }) => faults),
    targets: named.flatMap(({ targets }) => targets),
    final: {
      takenAt,
      isComplete: named.every(({ final }) => final.isComplete),
      messages: new Map(named.flatMap(({ final }) => [...final.messages])),
      usage: named.flatMap(({ final }) => final.usage),
    },
  };
}

function rename(history: History, index: number): History {
  const own = (name: string): string => `${name}.${index}`;
  const shown = (message: Message): Message => ({ ...message, messageId: own(message.messageId) });
  const { asked, receipts, faults, targets, final } = history;
  return {
    ...history,
    asked: asked.map((call): Asked => {
      const accountId = own(call.accountId);
      if (call.verb === "list page") {
        const { answer } = call;
        const renamed =
          answer.kind === "ok" ? { ...answer, items: answer.items.map(shown) } : answer;
        return { ...call, accountId, walk: own(call.walk), answer: renamed };
      }
      const { answer } = call;
      const renamed = answer.kind === "ok" ? { ...answer, message: shown(answer.message) } : answer;
      return "messageId" in call
        ? { ...call, accountId, messageId: own(call.messageId), answer: renamed }
        : { ...call, accountId, answer: renamed };
    }),
    receipts: receipts.map((receipt) => ({
      ...receipt,
      messageId: own(receipt.messageId),
      webhookId: own(receipt.webhookId),
      node: receipt.node && own(receipt.node),
    })),
    faults: faults.map((fault) =>
      fault.kind !== "hang" && fault.node !== null ? { ...fault, node: own(fault.node) } : fault,
    ),
    targets: targets.map((target) => ({ ...target, accountId: own(target.accountId) })),
    final: {
      ...final,
      messages: new Map(
        [...final.messages].map(([messageId, kept]) => [
          own(messageId),
          kept && { ...kept, message: shown(kept.message) },
        ]),
      ),
      usage: final.usage.map((usage) => ({ ...usage, accountId: own(usage.accountId) })),
    },
  };
}
