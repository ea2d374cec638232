import { retentionMs } from "./small-history.ts";
import {
  keptOf,
  withFinal,
  withMessage,
  withReceipt,
  withAsked,
  isTold,
  lastCancel,
  untouched,
  recordedReceipts,
  calm,
} from "./tampering.ts";
import type { Tampering } from "./tampering.ts";

export const tamperedDeliveries: Record<string, Tampering> = {
  "a message is gone": {
    breaks: ["G1"],
    tamper(history, chance) {
      const { takenAt } = history.final;
      const lasting = keptOf(history).filter(
        ([, { message }]) => (message.expirationTime ?? Infinity) > takenAt + retentionMs,
      );
      const keep = chance.pick(lasting);
      return keep && withFinal(history, keep[0], null);
    },
  },
  "an acknowledged cancellation came undone": {
    breaks: ["G1"],
    tamper(history, chance) {
      const keep = chance.pick(
        keptOf(history).filter(
          (each) => lastCancel(history, each) && each[1].message.deliveryFailureCount === 0,
        ),
      );
      const lie = withMessage(history, keep, {
        state: "SCHEDULED",
        nextDeliveryTime: keep?.[1].message.originalDeliveryTime ?? null,
        cancellationTime: null,
        expirationTime: null,
      });
      // Otherwise the judge would notice that the message was not attempted.
      return lie && { ...lie, bounds: { ...lie.bounds, mode: "safety" } };
    },
  },
  "a second message of one key": {
    breaks: ["G2"],
    tamper(history, chance) {
      const keep = chance.pick(keptOf(history));
      const told = history.asked.some(
        (call) => isTold(call) && call.answer.message.messageId === keep?.[0],
      );
      if (keep === undefined || !told) return undefined;
      const message = { ...keep[1].message, messageId: "msg_twin" };
      return withFinal(history, "msg_twin", { ...keep[1], message });
    },
  },
  "a cancellation that worked is logged as refused": {
    breaks: ["G18"],
    tamper(history, chance) {
      const keep = chance.pick(keptOf(history).filter((each) => lastCancel(history, each)));
      const cancel = keep && lastCancel(history, keep);
      const answer = { kind: "refused", code: "E-DI-2003" } as const;
      return cancel && withAsked(history, cancel, { ...cancel, answer });
    },
  },
  "a success that the target did not see": {
    breaks: ["G3"],
    tamper: (history, chance) => {
      const receipt = calm(history) && chance.pick(recordedReceipts(history));
      return receipt && withReceipt(history, receipt, { ...receipt, status: 500 });
    },
  },
  "an attempt that is not on record": {
    breaks: ["G3", "G5", "G11"],
    tamper(history, chance) {
      const keep = chance.pick(keptOf(history).filter(([, { attempts }]) => attempts.length > 0));
      return (
        keep && withFinal(history, keep[0], { ...keep[1], attempts: keep[1].attempts.slice(1) })
      );
    },
  },
  "an attempt before it was due": {
    breaks: ["G4"],
    tamper(history, chance) {
      const keep = chance.pick(untouched(history));
      const receipt = history.receipts.find(({ messageId }) => messageId === keep?.[0]);
      if (keep === undefined || receipt === undefined) return undefined;
      const startedAt = keep[1].message.originalDeliveryTime - chance.between(1, 50);
      return withReceipt(history, receipt, { ...receipt, startedAt });
    },
  },
  "an attempt on record from before it was due": {
    breaks: ["G4", "G11"],
    tamper(history, chance) {
      const keep = chance.pick(
        untouched(history).filter(([, { attempts }]) => attempts.length > 0),
      );
      if (keep === undefined || !calm(history)) return undefined;
      const [first, ...others] = keep[1].attempts;
      const startTime = keep[1].message.originalDeliveryTime - chance.between(1, 50);
      return withFinal(history, keep[0], {
        ...keep[1],
        attempts: [{ ...first!, startTime }, ...others],
      });
    },
  },
  "an extra delivery without a fault": {
    breaks: ["G5"],
    tamper(history, chance) {
      const receipt = calm(history) && chance.pick(recordedReceipts(history));
      if (!receipt) return undefined;
      const laterMs = chance.between(100, 5_000);
      const again = { startedAt: receipt.startedAt + laterMs, endedAt: receipt.endedAt! + laterMs };
      return withReceipt(history, receipt, receipt, { ...receipt, ...again });
    },
  },
  "another webhook-id": {
    breaks: ["G5"],
    tamper: (history, chance) => {
      const receipt = chance.pick(history.receipts);
      return receipt && withReceipt(history, receipt, { ...receipt, webhookId: "msg_other" });
    },
  },
  "two attempts at once without a fault": {
    breaks: ["G6"],
    tamper(history, chance) {
      const long = recordedReceipts(history).filter((each) => each.endedAt! > each.startedAt + 2);
      const receipt = calm(history) && chance.pick(long);
      if (!receipt) return undefined;
      return withReceipt(history, receipt, receipt, {
        ...receipt,
        startedAt: receipt.startedAt + 1,
      });
    },
  },
  "another target": {
    breaks: ["G8"],
    tamper: (history, chance) => {
      const receipt = chance.pick(history.receipts);
      return receipt && withReceipt(history, receipt, { ...receipt, targetId: "elsewhere" });
    },
  },
  "other bytes": {
    breaks: ["G16"],
    tamper: (history, chance) => {
      const receipt = chance.pick(history.receipts);
      const body = Buffer.concat([receipt?.body ?? Buffer.of(), Buffer.of(0)]);
      return receipt && withReceipt(history, receipt, { ...receipt, body });
    },
  },
};
