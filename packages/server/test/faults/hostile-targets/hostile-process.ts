import { hostileAnswers } from "./hostile-answers.ts";
import { startReceiver } from "../../support/receiver.ts";
import { seenReceipts } from "../../support/seen-receipts.ts";

/** The program of the process that `startHostileTargets` starts. */
const places = new Map(
  await Promise.all(
    hostileAnswers.map(async (hostile) => {
      const receiver = await startReceiver();
      receiver.answerWith(hostile.answer);
      return [hostile.targetId, { receiver, hostile }] as const;
    }),
  ),
);

export type HostileRequest =
  | { readonly asks: "urls" }
  /** Answered once each target has had this many attempts. */
  | { readonly asks: "attempted"; readonly counts: Readonly<Record<string, number>> }
  | { readonly asks: "receipts" };

process.on("message", (request: HostileRequest) => {
  void answerTo(request).then((answer) => process.send!(answer));
});

async function answerTo(request: HostileRequest): Promise<unknown> {
  if (request.asks === "urls") {
    return [...places].map(([targetId, { receiver }]) => [targetId, receiver.url]);
  }
  if (request.asks === "receipts") {
    return [...places.values()].flatMap(({ receiver, hostile: { status } }) =>
      seenReceipts(receiver.receipts).map((receipt) => ({ ...receipt, status })),
    );
  }
  const { counts } = request;
  await Promise.all(
    [...places].map(([targetId, { receiver }]) => receiver.received(counts[targetId] ?? 0)),
  );
  return null;
}
