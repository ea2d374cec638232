import type { Context } from "../context.ts";
import type { Asked } from "../history.ts";
import type { Violation } from "../violation.ts";

/**
 * G7, for callers: calls are answered again once the faults are over and others have had time to take over
 * from a dead node. One violation stands for all such calls.
 */
export function checkUnavailable(asked: readonly Asked[], context: Context): Violation[] {
  const { bounds, lastFaultEnd } = context;
  if (bounds.mode === "safety" || lastFaultEnd === -Infinity) return [];
  const wellFrom = lastFaultEnd + Math.max(bounds.settleMs, bounds.takeoverMs ?? bounds.restartMs);
  const refused = asked.filter(
    ({ askedAt, answer }) =>
      answer.kind === "unknown" &&
      answer.isGivenUp === true &&
      askedAt > wellFrom + bounds.clockUncertaintyMs,
  );
  if (refused.length === 0) return [];
  const last = refused.reduce((one, other) => (other.askedAt > one.askedAt ? other : one));
  const says = `${refused.length} calls were given up, the last of them a ${last.verb} ${last.askedAt - lastFaultEnd} ms after the last fault`;
  return [{ promise: "G7", messageId: null, says }];
}
