import type { Context } from "../context.ts";
import type { ChangeAsked, KeyAsked } from "../history.ts";
import { changeSteps } from "../one-history/change-steps.ts";
import type { Leniency } from "../one-history/leniency.ts";
import { dueFrom, mayBeTooLate, narrowedBy } from "../one-history/possible-message.ts";
import type { PossibleMessage } from "../one-history/possible-message.ts";
import { holdersOf, withMessage } from "./key-point.ts";
import type { KeyPoint, KeyStep } from "./key-point.ts";

/** The possible effects of a call that names the key, given its answer. Such a call is about the holder only. */
export function byKeySteps(call: KeyAsked, context: Context, leniency: Leniency): KeyStep[] {
  const { answer, verb } = call;
  if (answer.kind === "refused") return refusedByKey(call, context);
  if (verb !== "get by key") return changesByKey(call, context, leniency);
  return answer.kind === "ok" ? [seenByKey(call, context, leniency)] : [];
}

function stepOf({ verb, answer, askedAt, answeredAt }: KeyAsked): Omit<KeyStep, "apply"> {
  const code = answer.kind === "refused" ? ` with ${answer.code}` : "";
  return {
    label: `${verb} → ${answer.kind}${code}`,
    from: askedAt,
    until: answeredAt,
    isOptional: false,
    sequence: null,
    guess: answeredAt,
  };
}

function seenByKey(call: KeyAsked, { bounds }: Context, leniency: Leniency): KeyStep {
  return {
    ...stepOf(call),
    apply: (point) =>
      holdersOf(point).flatMap(({ messageId, message }) => {
        if (call.answer.kind !== "ok" || call.answer.message.messageId !== messageId) return [];
        const seen = narrowedBy(message, call.answer.message, bounds.retentionMs);
        return (seen && withMessage(point, messageId, seen, leniency)) ?? [];
      }),
  };
}

/** A change by key is a change of the message that has the key at that moment. */
function changesByKey(call: KeyAsked, context: Context, leniency: Leniency): KeyStep[] {
  const { answer } = call;
  const told = answer.kind === "ok" ? answer.message.messageId : undefined;
  const steps = changeSteps(changeOf(call, told ?? ""), context, leniency);
  return steps.map((step) => ({
    ...step,
    label: `${call.verb} → ${answer.kind}`,
    apply: (point: KeyPoint) =>
      holdersOf(point)
        .filter(({ messageId }) => told === undefined || told === messageId)
        .flatMap(({ messageId, message }) =>
          step
            .apply(message)
            .flatMap((changed) => withMessage(point, messageId, changed, leniency) ?? []),
        ),
  }));
}

function changeOf(call: KeyAsked, messageId: string): ChangeAsked {
  const { verb, messageKey: _, targetId: __, ...asked } = call;
  return { ...asked, messageId, verb: verb === "cancel by key" ? "cancel" : "reschedule" };
}

function refusedByKey(call: KeyAsked, { bounds }: Context): KeyStep[] {
  const { verb, answer, askedAt, answeredAt, dueAt, bound } = call;
  const { clockUncertaintyMs: apartMs, changeWaitMs } = bounds;
  const code = answer.kind === "refused" ? answer.code : "";
  const at = { min: askedAt - apartMs, max: answeredAt + apartMs };
  const waited = answeredAt - askedAt + apartMs >= changeWaitMs;
  const isFree = (point: KeyPoint): boolean => holdersOf(point).length === 0;
  const isHeldLong = (point: KeyPoint): boolean => waited && !isFree(point);
  // It had the key when the call found it, and was delivered before the call could change it.
  const isDelivered = ({ messages }: KeyPoint): boolean =>
    messages.values().some(({ state }: PossibleMessage) => state === "DELIVERED");
  const fits: Record<string, (point: KeyPoint) => boolean> = {
    "404": (point) => verb === "get by key" && isFree(point),
    "E-DI-5001": isFree,
    "E-DI-5003": (point) => verb === "cancel by key" && (isHeldLong(point) || isDelivered(point)),
    "E-DI-5004": (point) => verb === "reschedule by key" && isDelivered(point),
    "E-DI-5006": (point) => verb === "reschedule by key" && isHeldLong(point),
    "E-DI-1001": (point) =>
      dueAt !== null &&
      (contradictsItself(call) ||
        holdersOf(point).some(({ message }) =>
          mayBeTooLate(message, dueFrom(dueAt, at), at, bound),
        )),
  };
  const fit = fits[code];
  if (fit === undefined) return [];
  return [{ ...stepOf(call), apply: (point) => (fit(point) ? [point] : []) }];
}

function contradictsItself({ dueAt, bound }: KeyAsked): boolean {
  if (typeof dueAt !== "number" || bound == null || !("notAfter" in bound)) return false;
  return bound.notAfter <= dueAt;
}
