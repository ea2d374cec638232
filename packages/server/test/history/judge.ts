import { collectMessages } from "./collect-messages.ts";
import { contextOf } from "./context.ts";
import type { Context } from "./context.ts";
import { checkEvents } from "./events/check-events.ts";
import type { History } from "./history.ts";
import { matchAttempts } from "./match-attempts.ts";
import type { MatchedAttempts } from "./match-attempts.ts";
import type { MessageLog } from "./message-log.ts";
import { checkOneHistory } from "./one-history/check-one-history.ts";
import { checkRecord } from "./one-history/check-record.ts";
import { chargesOf, chargesUnseen } from "./promises/charges.ts";
import { checkOneKey } from "./one-key/check-one-key.ts";
import type { JudgedMessage } from "./one-key/check-one-key.ts";
import { withImpliedChanges } from "./one-key/implied-changes.ts";
import type { KeyLog } from "./one-key/key-log.ts";
import { checkBounds } from "./promises/bounds.ts";
import { checkBytes } from "./promises/bytes.ts";
import { checkCancels } from "./promises/cancels.ts";
import { checkDuplicates } from "./promises/duplicates.ts";
import { checkEarly, checkReschedules } from "./promises/early.ts";
import { checkEnds } from "./promises/ends.ts";
import { checkIsolation, checkPlace } from "./promises/isolation.ts";
import { checkKeys } from "./promises/keys.ts";
import { checkOverlaps } from "./promises/overlaps.ts";
import { checkQuota } from "./promises/quota.ts";
import { checkStalls } from "./promises/stalls.ts";
import { checkStuck } from "./promises/stuck.ts";
import { checkUnavailable } from "./promises/unavailable.ts";
import { checkWalks } from "./promises/walks.ts";
import { tellKeyStory, tellStory } from "./story.ts";
import { titleOf } from "./violation.ts";
import type { Report, Violation } from "./violation.ts";

export interface Judgement {
  readonly violations: readonly JudgedViolation[];
  /** Deliveries beyond those on record. A fault explains each of them, unless it is a violation. */
  readonly duplicates: number;
  /** Memberships that the store ended, or messages that were attempted again after their node had died. */
  readonly takeovers: number;
  /** The number of steps in the longest search for an order of one message's events. */
  readonly longestSearch: number;
}

export interface JudgedViolation extends Violation {
  readonly title: string;
  /** The message's own events in order, one line each. */
  readonly story: readonly string[];
}

/** Decides from the observations whether the promises G1 to G16, G18, G22 and those of options and keys were kept. */
export function judge(history: History): Judgement {
  const context = contextOf(history);
  const { logs: plain, keyLogs, found, unfound } = collectMessages(history);
  const keys = keyLogs.map((keyLog) => ({ keyLog, messages: judgedMessages(keyLog, context) }));
  const keyed = keys.flatMap(({ messages }) => messages.map(({ implied }) => implied));
  const logs = [...plain, ...keyed];
  const violations: Violation[] = [...found];
  for (const { node, at } of context.deaths.unprovoked) {
    const says = `the membership of ${node} was ended at ${at}, though nothing had happened to it`;
    violations.push({ promise: "G6", messageId: null, says });
  }
  let duplicates = 0;
  let takeovers = history.faults.filter(({ kind }) => kind === "takeover").length;
  let longestSearch = 0;
  for (const log of logs) {
    const matched = matchAttempts(log, context.clock);
    duplicates += matched.unrecorded.length;
    takeovers += matched.unrecorded.filter((receipt) => isTakenOver(log, receipt)).length;
    longestSearch = Math.max(longestSearch, judgeMessage(log, matched, context, violations));
  }
  const { isComplete } = history.final;
  for (const { keyLog, messages } of keys) {
    const tried = judgeKey(keyLog, messages, { isComplete, context }, violations);
    longestSearch = Math.max(longestSearch, tried);
  }
  violations.push(
    ...checkIsolation(logs, context),
    ...checkUnavailable(history.asked, context),
    ...checkStalls(history, logs, context),
    ...checkWalks(history.asked, logs, context),
    ...checkEvents(history),
    ...checkQuota(history, logs, [
      ...chargesOf(keyLogs, context.bounds.clockUncertaintyMs),
      ...(isComplete ? chargesUnseen(unfound, context) : []),
    ]),
  );
  const logOf = new Map(violations.length === 0 ? [] : logs.map((log) => [log.messageId, log]));
  const keyOf = new Map(keyLogs.map((keyLog) => [keyLog.name, keyLog]));
  return {
    violations: violations.map((violation) => ({
      ...violation,
      title: titleOf(violation),
      story:
        violation.about === undefined
          ? tellStory(logOf.get(violation.messageId ?? ""), context)
          : tellKeyStory(keyOf.get(violation.about), context),
    })),
    duplicates,
    takeovers,
    longestSearch,
  };
}

function judgedMessages(keyLog: KeyLog, { bounds, clock }: Context): JudgedMessage[] {
  return keyLog.messages.map((log) => ({
    log,
    implied: withImpliedChanges(log, keyLog, bounds.clockUncertaintyMs),
    matched: matchAttempts(log, clock),
  }));
}

function judgeMessage(
  log: MessageLog,
  matched: MatchedAttempts,
  context: Context,
  violations: Violation[],
): number {
  const before = violations.length;
  const report: Report = (promise, says) =>
    void violations.push({ promise, messageId: log.messageId, says });
  if (log.messageKey === null) checkBytes(log, report);
  checkPlace(log, report);
  checkEarly(log, context, report);
  checkReschedules(log, context, report);
  checkCancels(log, context, report);
  checkOverlaps(log, context, report);
  checkDuplicates(log, matched, context, report);
  checkStuck(log, matched, context, report);
  checkEnds(log, matched, context, report);
  checkBounds(log, context, report);
  checkRecord(log, context, report);
  // A clock that was set gives no order of its instants.
  if (context.clock.steps.length > 0 || log.messageKey !== null) return 0;
  // If a promise is already broken, a history without an explanation adds nothing.
  return violations.length === before ? checkOneHistory(log, matched, context, report) : 0;
}

/** What concerns the key as a whole, and the history of all its messages together. */
function judgeKey(
  keyLog: KeyLog,
  messages: readonly JudgedMessage[],
  { isComplete, context }: { readonly isComplete: boolean; readonly context: Context },
  violations: Violation[],
): number {
  const { name } = keyLog;
  const ids = new Set(messages.map(({ log }) => log.messageId));
  const isBroken = (): boolean =>
    violations.some(({ about, messageId }) => about === name || ids.has(messageId ?? ""));
  const report: Report = (promise, says) =>
    void violations.push({ promise, messageId: null, about: name, says });
  checkKeys(keyLog, context, report);
  if (context.clock.steps.length > 0 || isBroken()) return 0;
  return checkOneKey(keyLog, messages, isComplete, context, report);
}

function isTakenOver(log: MessageLog, receipt: MessageLog["receipts"][number]): boolean {
  return log.receipts.some(({ startedAt }) => startedAt > receipt.startedAt);
}
