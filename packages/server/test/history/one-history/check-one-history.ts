import type { Message } from "../../../src/domain/message.ts";
import type { Context } from "../context.ts";
import type { MatchedAttempts } from "../match-attempts.ts";
import { creationOf } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Promised, Report } from "../violation.ts";
import type { Leniency } from "./leniency.ts";
import { created, dueFrom, exactly, nameOf } from "./possible-message.ts";
import type { PossibleMessage } from "./possible-message.ts";
import { findOrder } from "./search.ts";
import type { SearchResult } from "./search.ts";
import { stepsOf } from "./steps.ts";

/** A message has few events. A search that needs more steps than this has too many unknowns. */
const mostTried = 20_000;

/** Tried in this order. The first rule whose removal explains the history names the broken promise. */
const explanations: readonly (readonly [Promised, Leniency, string])[] = [
  ["G1", { mayBeLost: true }, "was acknowledged and is gone"],
  ["G3", { mayVanish: true }, "was not there for a while, though it had not expired"],
  ["G18", { mayDefy: true }, "was changed by a call that was refused"],
  [
    "G18",
    { mayComeLate: true },
    "was changed by a call that had been given up, after another had been decided",
  ],
  ["G4", { mayBeEarly: true }, "has an attempt on record that began before it was due"],
  ["OPT", { mayBeLate: true }, "has an attempt on record that began after its notAfter"],
  ["G11", { mayMiscount: true }, "was tried again or given up against its retry policy"],
  ["G1", { mayForget: true }, "was changed and acknowledged so, and the change is gone"],
  ["G2", { mayRepeat: true }, "was changed twice by a call whose answer was lost"],
];

/**
 * G11: operations on one message are linearizable. Some order of its events, within the times of each
 * event, makes every answer correct.
 */
export function checkOneHistory(
  log: MessageLog,
  matched: MatchedAttempts,
  context: Context,
  report: Report,
): number {
  const start = startOf(log, context);
  const search = (leniency: Leniency): SearchResult =>
    findOrder(stepsOf(log, matched, context, leniency), start, { mostSteps: mostTried, nameOf });
  const { verdict, tried, stuckAt } = search({});
  if (verdict === "explained") return tried;
  if (verdict === "undecided") {
    report("G11", `could not be judged: ${mostTried} steps were not enough to order its events`);
    return tried;
  }
  for (const [promise, leniency, says] of explanations) {
    if (search(leniency).verdict !== "explained") continue;
    report(promise, `${says} (nothing else explains "${stuckAt}")`);
    return tried;
  }
  report("G11", `has a history that no order of its events explains: "${stuckAt}" fits nowhere`);
  return tried;
}

function startOf(log: MessageLog, { bounds }: Context): PossibleMessage {
  const { from, until } = creationOf(log);
  const told = acknowledged(log);
  const known = log.final?.message.schedulingTime ?? told?.schedulingTime;
  const since = {
    min: from - bounds.clockUncertaintyMs,
    max: until + bounds.clockUncertaintyMs,
  };
  const scheduled = known === undefined ? since : exactly(known);
  const start = created(dueFrom(log.asked, scheduled), scheduled, log.options);
  const place = told?.nextDeliveryTime ?? null;
  return place === null ? start : { ...start, next: exactly(place) };
}

function acknowledged({ schedules }: MessageLog): Message | undefined {
  for (const { answer } of schedules) if (answer.kind === "ok") return answer.message;
  return undefined;
}
