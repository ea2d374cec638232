import type { Pace } from "../../history/history.ts";
import type { Managed } from "../callers/callers.ts";
import type { SimulatedTarget } from "./scenario.ts";

/** How quickly a target should have been served during the run, computed from the calls and answers. */
export function paceOf(target: SimulatedTarget, managed: readonly Managed[]): Pace[] {
  const { accountId, targetId, rateLimit } = target;
  const own = managed.filter(
    (each) => each.accountId === accountId && (each.targetId ?? targetId) === targetId,
  );
  const open = { isPaused: false, isSuspended: false, isSlow: false, isUncertain: false };
  let state = { ...open, gapMs: rateLimit === null ? 0 : rateLimit.intervalMs / rateLimit.max };
  const pace: Pace[] = [{ from: -Infinity, gapMs: state.gapMs }];
  // A call that closes a target may take effect from the request on. A call that opens it has taken effect
  // by the answer.
  const closing = own.filter(closes).map((each) => ({ ...each, at: each.askedAt }));
  const opening = own
    .filter((each) => !closes(each) && !closing.some((other) => overlap(each, other)))
    .map((each) => ({ ...each, at: each.answeredAt }));
  const changes = [...closing, ...opening].toSorted((one, other) => one.at - other.at);
  for (const { change, targetId: of, at, isCertain } of changes) {
    if (!isCertain) state = { ...state, isUncertain: true };
    else if (change === "pause") state = { ...state, isPaused: true };
    else if (change === "suspend") state = { ...state, isSuspended: true };
    else if (change === "slower") state = { ...state, isSlow: true };
    else if (change === "faster") state = { ...state, isSlow: false, gapMs: 0 };
    else if (of === null) state = { ...state, isSuspended: false };
    else state = { ...state, isPaused: false };
    const isClosed = state.isPaused || state.isSuspended || state.isSlow || state.isUncertain;
    pace.push({ from: at, gapMs: isClosed ? Infinity : state.gapMs });
  }
  return pace;
}

/** A change whose answer was lost may take effect at any later time. */
function closes({ change, isCertain }: Managed): boolean {
  return !isCertain || change === "pause" || change === "suspend" || change === "slower";
}

/** It is unknown which of the two came last. */
function overlap(one: Managed, other: Managed): boolean {
  return one.askedAt <= other.answeredAt && other.askedAt <= one.answeredAt;
}
