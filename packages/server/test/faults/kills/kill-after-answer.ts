import { once } from "node:events";
import type { Answer, Receipt, Receiver } from "../../support/receiver.ts";
import type { ServerProcess } from "../../support/server-process.ts";

/**
 * Kills a server at the instant when a target has answered one of its attempts with success. The server has
 * hardly any time to record it. Returns what the target observed.
 */
export async function killAfterAnswer(
  receiver: Receiver,
  usual: Answer,
  victimOf: (receipt: Receipt) => ServerProcess | undefined,
): Promise<{ readonly receipt: Receipt; readonly at: number; readonly server: ServerProcess }> {
  const { receipt, at, server } = await new Promise<{
    receipt: Receipt;
    at: number;
    server: ServerProcess;
  }>((resolve) => {
    receiver.answerWith((taken, response) => {
      const victim = victimOf(taken);
      if (victim === undefined) return usual(taken, response);
      receiver.answerWith(usual);
      response.writeHead(204).end(() => {
        victim.process.kill("SIGKILL");
        resolve({ receipt: taken, at: Date.now(), server: victim });
      });
    });
  });
  if (server.process.signalCode === null) await once(server.process, "exit");
  return { receipt, at, server };
}

/** How many of those attempts were repeated unchanged. */
export function sentAgain(answered: readonly Receipt[], receipts: readonly Receipt[]): number {
  return answered.filter((receipt) =>
    receipts.some(
      (other) =>
        other !== receipt &&
        other.startedAt >= receipt.startedAt &&
        other.messageId === receipt.messageId &&
        other.attempt === receipt.attempt,
    ),
  ).length;
}
