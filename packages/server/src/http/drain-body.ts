import type { IncomingMessage } from "node:http";

const mostDrainedBytes = 64 * 1024 * 1024;

/**
 * Reads on what is left of a body that was refused, then goes on. A client that is answered while it
 * still sends has its connection reset, and sees a broken pipe in place of the answer.
 */
export function drainBody(request: IncomingMessage, goOn: () => void): void {
  let drainedBytes = 0;
  const count = (chunk: Buffer): void => {
    drainedBytes += chunk.length;
    if (drainedBytes > mostDrainedBytes) finish();
  };
  const finish = (): void => {
    request.off("data", count).off("end", finish).off("close", finish);
    goOn();
  };
  if (request.readableEnded || request.destroyed) return goOn();
  request.on("data", count).on("end", finish).on("close", finish);
}
