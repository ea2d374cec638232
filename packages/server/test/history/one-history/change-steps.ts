import type { Context } from "../context.ts";
import type { ChangeAsked } from "../history.ts";
import {
  cancelled,
  dueFrom,
  isOverBy,
  mayBeTooLate,
  narrowedBy,
  removedBy,
  rescheduled,
} from "./possible-message.ts";
import type { MessageStep, PossibleMessage } from "./possible-message.ts";
import type { Leniency } from "./leniency.ts";

/** The possible effects of a cancel or reschedule, given its answer. */
export function changeSteps(
  change: ChangeAsked,
  context: Context,
  leniency: Leniency,
): MessageStep[] {
  const { answer, verb } = change;
  if (answer.kind === "ok") {
    const step = toldStep(change, context, leniency);
    return leniency.mayForget ? [step, undoStep(change)] : [step];
  }
  const label = `${verb} → ${answer.kind}`;
  if (answer.kind === "unknown") {
    const step = effectStep(label, change, context, leniency);
    return leniency.mayRepeat ? [step, { ...step }] : [step];
  }
  const refusal = refusalStep(label, change, context);
  return [
    ...(refusal === undefined ? [] : [refusal]),
    ...(leniency.mayDefy ? [effectStep(label, change, context, leniency)] : []),
  ];
}

function toldStep(
  change: ChangeAsked,
  { bounds }: Context,
  { mayForget = false }: Leniency,
): MessageStep {
  const { askedAt, answeredAt, answer, verb } = change;
  const { retentionMs, clockUncertaintyMs: apartMs } = bounds;
  return {
    label: `${verb} → ok`,
    from: askedAt,
    until: answeredAt,
    isOptional: false,
    sequence: null,
    guess: (answer.kind === "ok" && answer.message.cancellationTime) || answeredAt,
    apply(message) {
      if (answer.kind !== "ok" || isOverBy(message, askedAt - apartMs, retentionMs)) return [];
      const changed = effect(change, message, askedAt - apartMs, answeredAt + apartMs);
      const told = changed && narrowedBy(changed, answer.message, retentionMs);
      if (told === undefined) return [];
      const decidedFrom = Math.max(message.decidedFrom, askedAt);
      return [{ ...told, decidedFrom, before: mayForget ? message : told.before }];
    },
  };
}

function undoStep({ verb, askedAt }: ChangeAsked): MessageStep {
  return {
    label: `${verb} undone`,
    from: askedAt,
    until: Infinity,
    isOptional: true,
    sequence: null,
    guess: Infinity,
    apply: ({ before }) => (before === null ? [] : [before]),
  };
}

/**
 * The effect may come at any time after the request, or never. If the service has given the call up, the
 * effect does not change anything that a later call decided.
 */
function effectStep(
  label: string,
  change: ChangeAsked,
  { bounds }: Context,
  { mayComeLate = false }: Leniency,
): MessageStep {
  const { askedAt, answeredAt, answer } = change;
  const isGivenUp = answer.kind === "unknown" && answer.isGivenUp === true;
  const decidedBefore = isGivenUp && !mayComeLate ? answeredAt : Infinity;
  return {
    label,
    from: askedAt,
    until: Infinity,
    isOptional: true,
    sequence: null,
    guess: answeredAt,
    apply(message) {
      if (message.decidedFrom > decidedBefore) return [];
      const changed = effect(change, message, askedAt - bounds.clockUncertaintyMs, Infinity);
      return changed === undefined ? [] : [changed];
    },
  };
}

function effect(
  { dueAt, bound }: ChangeAsked,
  message: PossibleMessage,
  min: number,
  max: number,
): PossibleMessage | undefined {
  return dueAt === null
    ? cancelled(message, { min, max })
    : rescheduled(message, dueFrom(dueAt, { min, max }), { min, max }, bound);
}

/** A bound that is not after the delivery time is refused whatever the message is. */
function contradictsItself(
  dueAt: ChangeAsked["dueAt"],
  bound: ChangeAsked["bound"] | undefined,
): boolean {
  if (typeof dueAt !== "number" || bound == null || !("notAfter" in bound)) return false;
  return bound.notAfter <= dueAt;
}

/** What a refusal says about the message. Undefined if it says nothing, as with a missing permission. */
function refusalStep(
  label: string,
  { verb, askedAt, answeredAt, answer, dueAt, bound }: ChangeAsked,
  { bounds }: Context,
): MessageStep | undefined {
  const code = answer.kind === "refused" ? answer.code : "";
  const { retentionMs, clockUncertaintyMs: apartMs, changeWaitMs } = bounds;
  const waited = answeredAt - askedAt + apartMs >= changeWaitMs;
  const at = { min: askedAt - apartMs, max: answeredAt + apartMs };
  const fits: Record<string, (message: PossibleMessage) => PossibleMessage | undefined> = {
    "E-DI-1001": (message) => {
      const isTooLate = dueAt !== null && mayBeTooLate(message, dueFrom(dueAt, at), at, bound);
      return isTooLate || contradictsItself(dueAt, bound) ? message : undefined;
    },
    "E-DI-5001": (message) => removedBy(message, answeredAt + apartMs, retentionMs),
    "E-DI-5003": (message) =>
      verb === "cancel" && (message.state !== "SCHEDULED" || waited) ? message : undefined,
    "E-DI-5004": (message) =>
      verb === "reschedule" && message.state === "DELIVERED" ? message : undefined,
    "E-DI-5006": (message) => (message.state === "SCHEDULED" && waited ? message : undefined),
  };
  const fit = fits[code];
  if (fit === undefined) return undefined;
  return {
    label: `${label} with ${code}`,
    from: askedAt,
    until: answeredAt,
    isOptional: false,
    sequence: null,
    guess: answeredAt,
    apply(message) {
      const fitting = message.isOverruled ? undefined : fit(message);
      return fitting === undefined ? [] : [fitting];
    },
  };
}
