import type { Message } from "../../src/domain/message.ts";
import type {
  ChangeAsked,
  FinalMessage,
  History,
  PageAsked,
  Receipt,
  ScheduleAsked,
} from "./history.ts";
import type { MessageLog, OwnEvents, Sighting } from "./message-log.ts";
import { collectKeys, keyedMessage } from "./one-key/collect-keys.ts";
import type { KeyLog } from "./one-key/key-log.ts";
import { scheduleSlots } from "./schedule-slots.ts";
import type { Looks } from "./schedule-slots.ts";
import type { Violation } from "./violation.ts";

export interface Collected {
  /** The messages without a key. */
  readonly logs: readonly MessageLog[];
  readonly keyLogs: readonly KeyLog[];
  /** Lost calls without a message key that no message was found for, those of one key together. */
  readonly unfound: readonly (readonly ScheduleAsked[])[];
  /** Violations of G2: messages that should not exist. */
  readonly found: readonly Violation[];
}

interface Gathered {
  readonly changes: ChangeAsked[];
  readonly sightings: Sighting[];
  readonly receipts: Receipt[];
}

/** Collects what belongs to each message, including messages whose acknowledgement was lost. */
export function collectMessages(history: History): Collected {
  const { final } = history;
  const gathered = gather(history);
  const { keys, found: foundOfKeys } = collectKeys(history, shownMessages(history));
  const isOfKey = new Set(keys.flatMap(({ messageIds }) => [...messageIds]));
  const slots = scheduleSlots(history.asked);
  const terms = new Map(
    history.targets.map((each) => [`${each.accountId}/${each.targetId}`, each]),
  );
  const hanging = new Set(
    history.faults.flatMap((fault) =>
      fault.kind === "hang" ? [`${fault.accountId}/${fault.targetId}`] : [],
    ),
  );
  const found: Violation[] = [...slots.found, ...foundOfKeys];
  const logs: MessageLog[] = [];
  const ownOf = (messageId: string, accountId: string, targetId: string): OwnEvents => {
    const { changes, sightings, receipts } = gathered.get(messageId) ?? nothing;
    const target = terms.get(`${accountId}/${targetId}`);
    return {
      changes: changes.toSorted((one, other) => one.askedAt - other.askedAt),
      sightings,
      receipts: receipts.toSorted((one, other) => one.startedAt - other.startedAt),
      final: finalOf(final.messages, messageId, final.isComplete),
      retryPolicy: target?.retryPolicy ?? null,
      timeoutMs: target?.timeoutMs ?? null,
      mayWait: target?.mayWait === true || hanging.has(`${accountId}/${targetId}`),
    };
  };
  const add = (messageId: string, schedules: readonly ScheduleAsked[]): void => {
    const asked = schedules.find(({ answer }) => answer.kind !== "refused") ?? schedules[0]!;
    const { accountId, targetId, payload, dueAt: wanted, options = {} } = asked;
    const own = ownOf(messageId, accountId, targetId);
    const scheduledAt =
      shownTime(own, schedules) ??
      Math.min(...schedules.map(({ askedAt }) => askedAt)) - history.bounds.clockUncertaintyMs;
    const dueAt = typeof wanted === "number" ? wanted : scheduledAt + wanted.delayMs;
    logs.push({
      ...own,
      messageId,
      accountId,
      targetId,
      messageKey: null,
      payload,
      asked: wanted,
      dueAt,
      options,
      plannedBy: dueAt + (options.flexWindowMs ?? 0),
      schedules,
      retryPolicy: options.retryPolicy ?? own.retryPolicy,
    });
  };
  for (const [messageId, schedules] of slots.acknowledged) add(messageId, schedules);

  const there = [...final.messages].filter(([, kept]) => kept !== null).map(([id]) => id);
  const seen = [...gathered].filter(([, { changes, sightings, receipts }]) => {
    const told = changes.some(({ answer }) => answer.kind === "ok");
    return told || receipts.length > 0 || sightings.some(({ message }) => message !== null);
  });
  const known = new Set(slots.acknowledged.keys());
  for (const messageId of new Set([...there, ...seen.map(([id]) => id)])) {
    if (known.has(messageId) || isOfKey.has(messageId)) continue;
    const from = slots.adopt(looksOf(final.messages.get(messageId), gathered.get(messageId)));
    if (typeof from === "string") found.push({ promise: "G2", messageId, says: from });
    else add(messageId, from);
  }
  const { clockUncertaintyMs } = history.bounds;
  const keyLogs = keys.map(({ messageIds, ...calls }) => ({
    ...calls,
    messages: [...messageIds].map((messageId) =>
      keyedMessage(
        messageId,
        calls,
        ownOf(messageId, calls.accountId, calls.targetId),
        clockUncertaintyMs,
      ),
    ),
  }));
  return { logs, keyLogs, found, unfound: slots.unfound() };
}

/** Every message in an answer or in the final look. */
function* shownMessages({ asked, final }: History): Iterable<Message> {
  for (const kept of final.messages.values()) if (kept !== null) yield kept.message;
  for (const { answer } of asked) {
    if (answer.kind !== "ok") continue;
    if ("items" in answer) yield* answer.items;
    else yield answer.message;
  }
}

const nothing: Gathered = { changes: [], sightings: [], receipts: [] };

function gather({ asked, receipts }: History): Map<string, Gathered> {
  const gathered = new Map<string, Gathered>();
  const of = (messageId: string): Gathered => {
    let own = gathered.get(messageId);
    if (own === undefined) {
      gathered.set(messageId, (own = { changes: [], sightings: [], receipts: [] }));
    }
    return own;
  };
  for (const call of asked) {
    if ("messageKey" in call) continue;
    if (call.verb === "cancel" || call.verb === "reschedule") of(call.messageId).changes.push(call);
    else if (call.verb === "list page") seePage(call, of);
    else if (call.verb === "get" && call.answer.kind !== "unknown") {
      const { messageId, askedAt, answeredAt, answer } = call;
      if (answer.kind === "refused" && answer.code !== "404") continue;
      const message = answer.kind === "ok" ? answer.message : null;
      of(messageId).sightings.push({ askedAt, answeredAt, message, by: "get" });
    }
  }
  for (const receipt of receipts) of(receipt.messageId).receipts.push(receipt);
  return gathered;
}

function seePage(page: PageAsked, of: (messageId: string) => Gathered): void {
  if (page.answer.kind !== "ok") return;
  const { askedAt, answeredAt, list } = page;
  for (const message of page.answer.items) {
    of(message.messageId).sightings.push({ askedAt, answeredAt, message, by: list });
  }
}

function finalOf(
  messages: ReadonlyMap<string, FinalMessage | null>,
  messageId: string,
  isComplete: boolean,
): FinalMessage | null | undefined {
  const kept = messages.get(messageId);
  return kept === undefined && isComplete ? null : kept;
}

/** When the message was scheduled, as far as any answer or the final look showed it. */
function shownTime(
  { changes, sightings, final: kept }: OwnEvents,
  schedules: readonly ScheduleAsked[],
): number | undefined {
  const told = [...schedules, ...changes].find(({ answer }) => answer.kind === "ok")?.answer;
  const seen = sightings.find(({ message }) => message !== null)?.message;
  const message = kept?.message ?? (told?.kind === "ok" ? told.message : seen);
  return message?.schedulingTime;
}

function looksOf(kept: FinalMessage | null | undefined, gathered: Gathered | undefined): Looks {
  const message =
    kept?.message ?? gathered?.sightings.find(({ message }) => message !== null)?.message;
  const receipt = gathered?.receipts[0];
  const body = receipt === undefined ? null : Buffer.from(receipt.body).toString();
  return {
    targetId: message?.targetId ?? receipt?.targetId ?? null,
    times:
      message === undefined || message === null
        ? null
        : { dueAt: message.originalDeliveryTime, schedulingTime: message.schedulingTime },
    payload: kept?.payload ?? body,
  };
}
