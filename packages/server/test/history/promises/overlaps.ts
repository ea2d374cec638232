import type { Context } from "../context.ts";
import type { Receipt } from "../history.ts";
import { attemptsOf } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report } from "../violation.ts";

/** G6: the next attempt begins when the last one, or its holder, has ended. */
export function checkOverlaps(log: MessageLog, context: Context, report: Report): void {
  const { seenApartMs } = context;
  const apartMs = seenApartMs + context.clock.widestMs;
  const open: Receipt[] = [];
  for (const receipt of log.receipts) {
    for (const earlier of open) {
      const commonMs = Math.min(end(earlier), end(receipt)) - receipt.startedAt;
      if (commonMs <= seenApartMs || isAllowed(earlier, receipt, context)) continue;
      const lasting = commonMs === Infinity ? "to the end" : `for ${commonMs} ms`;
      const numbers = `${earlier.attemptNumber} and ${receipt.attemptNumber}`;
      report("G6", `was attempted twice at once ${lasting} (attempts ${numbers})`);
    }
    open.push(receipt);
  }
  // Both instants are the store's. Ends are rounded to the millisecond.
  const attempts = attemptsOf(log);
  for (const [index, { number, startTime }] of attempts.entries()) {
    const before = attempts[index - 1];
    if (before === undefined || startTime >= before.endTime - 1 - apartMs) continue;
    report(
      "G6",
      `has attempt ${number} on record, begun ${before.endTime - startTime} ms before attempt ${before.number} had ended`,
    );
  }
}

function isAllowed(earlier: Receipt, later: Receipt, { deaths }: Context): boolean {
  return deaths.explainOverlap(earlier, later.startedAt) || deaths.explainLate(later);
}

function end({ endedAt }: Receipt): number {
  return endedAt ?? Infinity;
}
