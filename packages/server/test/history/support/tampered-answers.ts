import type { Message } from "../../../src/domain/message.ts";
import type { Asked, ChangeAsked, History, PageAsked } from "../history.ts";
import {
  keptOf,
  withMessage,
  withAsked,
  changesOf,
  isTold,
  lastCancel,
  calm,
} from "./tampering.ts";
import type { Tampering } from "./tampering.ts";

export const tamperedAnswers: Record<string, Tampering> = {
  "an attempt after a cancellation": {
    breaks: ["G9"],
    tamper(history, chance) {
      const keep = chance.pick(keptOf(history).filter((each) => lastCancel(history, each)));
      const [model] = history.receipts;
      if (keep === undefined || model === undefined || !calm(history)) return undefined;
      const startedAt = lastCancel(history, keep)!.answeredAt + chance.between(1, 500);
      const [messageId, { payload }] = keep;
      const body = Buffer.from(payload!);
      const made = { messageId, webhookId: messageId, body, startedAt, endedAt: startedAt + 1 };
      return { ...history, receipts: [...history.receipts, { ...model, ...made }] };
    },
  },
  "an attempt before the time it was rescheduled to": {
    breaks: ["G10"],
    tamper(history, chance) {
      const moved = history.asked.filter(
        (call): call is ChangeAsked =>
          call.verb === "reschedule" &&
          call.answer.kind === "ok" &&
          newTime(call) > call.answeredAt + 1 &&
          changesOf(history, call.messageId).every(
            (other) => other === call || other.answer.kind === "refused",
          ),
      );
      const change = chance.pick(moved);
      const model = history.receipts.find(({ messageId }) => messageId === change?.messageId);
      if (change === undefined || model === undefined || !calm(history)) return undefined;
      const startedAt = chance.between(change.answeredAt + 1, newTime(change) - 1);
      const made = { ...model, startedAt, endedAt: startedAt };
      return { ...history, receipts: [...history.receipts, made] };
    },
  },
  "one failure too many is counted": {
    breaks: ["G11"],
    tamper(history, chance) {
      const keep = chance.pick(keptOf(history));
      const deliveryFailureCount = (keep?.[1].message.deliveryFailureCount ?? 0) + 1;
      return withMessage(history, keep, { deliveryFailureCount });
    },
  },
  "a read of a state that never existed": {
    breaks: ["G11"],
    tamper(history, chance) {
      const told = history.asked.filter(isTold).filter(({ verb }) => verb !== "schedule");
      const call = chance.pick(told);
      if (call === undefined) return undefined;
      const { message } = call.answer;
      const shown = chance.pick<Partial<Message>>([
        { deliveryFailureCount: message.deliveryFailureCount + 10 },
        { lastDeliveryTime: 7 },
        { nextDeliveryTime: message.nextDeliveryTime === null ? 7 : null },
        { expirationTime: message.expirationTime === null ? 7 : null },
      ]);
      const answer = { kind: "ok", message: { ...message, ...shown } } as const;
      return withAsked(history, call, { ...call, answer } as Asked);
    },
  },
  "a read from before a cancellation": {
    breaks: ["G11"],
    tamper(history, chance) {
      const stale = keptOf(history).flatMap((keep) => {
        const cancel = lastCancel(history, keep);
        const made = history.asked.find(
          (call) =>
            isTold(call) && call.verb === "schedule" && call.answer.message.messageId === keep[0],
        );
        const read = history.asked.find(
          (call) =>
            call.verb === "get" &&
            call.messageId === keep[0] &&
            call.answer.kind === "ok" &&
            call.askedAt > (cancel?.answeredAt ?? Infinity),
        );
        return read && made && isTold(made) ? [{ read, answer: made.answer }] : [];
      });
      const found = chance.pick(stale);
      return (
        found && withAsked(history, found.read, { ...found.read, answer: found.answer } as Asked)
      );
    },
  },
  "a walk that leaves out an item": {
    breaks: ["G12"],
    tamper(history, chance) {
      const left = history.asked.filter(isPage).flatMap((page) => {
        const until = Math.max(
          ...history.asked
            .filter((other) => isPage(other) && other.walk === page.walk)
            .map((other) => other.answeredAt),
        );
        const from = Math.min(
          ...history.asked
            .filter((other) => isPage(other) && other.walk === page.walk)
            .map((other) => other.askedAt),
        );
        // The walk continued from the last item of each page except the final one.
        const items = page.answer.isLast ? page.answer.items : page.answer.items.slice(0, -1);
        return items
          .filter(({ messageId }) => stoodStill(history, messageId, from, until))
          .map(({ messageId }) => ({ page, messageId }));
      });
      const one = chance.pick(left);
      if (one === undefined) return undefined;
      const items = one.page.answer.items.filter(({ messageId }) => messageId !== one.messageId);
      const answer = { ...one.page.answer, items };
      return withAsked(history, one.page, { ...one.page, answer });
    },
  },
  "a page out of order": {
    breaks: ["G12"],
    tamper(history, chance) {
      const page = chance.pick(
        history.asked.filter(isPage).filter(({ answer }) => answer.items.length > 1),
      );
      if (page === undefined) return undefined;
      const answer = { ...page.answer, items: page.answer.items.toReversed() };
      return withAsked(history, page, { ...page, answer });
    },
  },
  "a message is charged twice, or not at all": {
    breaks: ["G14"],
    tamper(history, chance) {
      const [usage] = history.final.usage;
      const used = usage!.used + (chance.happens(0.5) && usage!.used > 0 ? -1 : 1);
      return { ...history, final: { ...history.final, usage: [{ ...usage!, used }] } };
    },
  },
};

/** The time that an acknowledged reschedule has set. */
function newTime({ answer }: ChangeAsked): number {
  return (answer.kind === "ok" && answer.message.nextDeliveryTime) || -Infinity;
}

type AnsweredPage = PageAsked & { readonly answer: { readonly kind: "ok" } };

function isPage(call: Asked): call is AnsweredPage {
  return call.verb === "list page" && call.answer.kind === "ok";
}

function stoodStill(history: History, messageId: string, from: number, until: number): boolean {
  const first = history.final.messages.get(messageId)?.attempts[0];
  const made = history.asked.some(
    (call) =>
      call.verb === "schedule" &&
      isTold(call) &&
      call.answer.message.messageId === messageId &&
      call.answeredAt < from,
  );
  return (
    made && changesOf(history, messageId).length === 0 && (first?.endTime ?? -Infinity) > until + 2
  );
}
