import type { Context } from "../context.ts";
import type { ScheduleAsked } from "../history.ts";
import type { Leniency } from "../one-history/leniency.ts";
import { dueFrom, narrowedBy } from "../one-history/possible-message.ts";
import { askedBy, mayReplace } from "./key-log.ts";
import type { KeyedCall } from "./key-log.ts";
import { holdersOf, withMessage } from "./key-point.ts";
import type { KeyHolder, KeyPoint, KeyStep } from "./key-point.ts";
import { createdIn, met } from "./meetings.ts";
import { dueBeside, mayBeRefusedAsLate, spanWith } from "./replacing.ts";

/** A call that was told what became of the key. The payloads are those that were delivered or are kept. */
export function toldStep(
  call: KeyedCall,
  seenPayloads: ReadonlySet<string>,
  { bounds }: Context,
  leniency: Leniency,
): KeyStep {
  const { from, until } = call;
  const { message: shown, keyOutcome } = call.told!;
  const { clockUncertaintyMs: apartMs, retentionMs } = bounds;
  const asked = askedBy(call);
  const span = { min: from - apartMs, max: until + apartMs };
  const { onConflict } = asked.wantedKey!;
  const replaces = onConflict === "debounce" ? "debounced" : "replaced";
  const made = spanWith(span, shown.schedulingTime);
  return {
    label: `${onConflict} → ${keyOutcome} ${shown.messageId}`,
    from,
    until,
    isOptional: false,
    sequence: null,
    // Of the contents that replace each other at one moment, the one that was delivered most likely came last.
    guess:
      keyOutcome === "created"
        ? shown.schedulingTime
        : until - (seenPayloads.has(asked.payload) ? 0 : 0.5),
    apply(point) {
      const after = possibleEffects(point).flatMap((next) => {
        const message = next.messages.get(shown.messageId);
        const narrowed = message && narrowedBy(message, shown, retentionMs);
        if (narrowed === undefined) return [];
        return withMessage(next, shown.messageId, narrowed, leniency) ?? [];
      });
      return leniency.mayForget && keyOutcome !== "kept" ? [...after, point] : after;
    },
  };

  function possibleEffects(point: KeyPoint): KeyPoint[] {
    const holders = holdersOf(point);
    const { messageId } = shown;
    const isHolder = holders.some((holder) => holder.messageId === messageId);
    if (keyOutcome === "kept") return isHolder && onConflict === "keep" ? [point] : [];
    const isNew = !point.messages.has(messageId);
    if (keyOutcome === "created") {
      const isFree = holders.length === 0 || leniency.mayShare;
      return isFree && isNew && made ? createdIn(point, asked, messageId, made, leniency) : [];
    }
    if (keyOutcome !== replaces || (!isNew && !isHolder)) return [];
    const at = isNew ? made : span;
    return at
      ? holders.flatMap((holder) => met(point, holder, { asked, messageId, at }, leniency))
      : [];
  }
}

/** What a refusal says about the key. Undefined if it says nothing, as with a limit that is used up. */
export function refusedStep(asked: ScheduleAsked, { bounds }: Context): KeyStep | undefined {
  const { askedAt, answeredAt, answer, wantedKey, dueAt } = asked;
  const { clockUncertaintyMs: apartMs, changeWaitMs } = bounds;
  const code = answer.kind === "refused" ? answer.code : "";
  const { onConflict } = wantedKey!;
  const waited = answeredAt - askedAt + apartMs >= changeWaitMs;
  const at = { min: askedAt - apartMs, max: answeredAt + apartMs };
  const fits: Record<string, (holders: readonly KeyHolder[]) => boolean> = {
    "E-DI-5008": (holders) => onConflict === "reject" && holders.length > 0,
    "E-DI-5006": (holders) => mayReplace(asked) && holders.length > 0 && waited,
    "E-DI-1001": (holders) =>
      [
        ...(holders.length === 0 ? [dueFrom(dueAt, at)] : []),
        ...holders.map(({ message }) => dueBeside(message, asked, at)),
      ].some((due) => mayBeRefusedAsLate(asked, due, at.max)),
  };
  const fit = fits[code];
  if (fit === undefined) return undefined;
  return {
    label: `${onConflict} → refused with ${code}`,
    from: askedAt,
    until: answeredAt,
    isOptional: false,
    sequence: null,
    guess: answeredAt,
    apply: (point) => (fit(holdersOf(point)) ? [point] : []),
  };
}
