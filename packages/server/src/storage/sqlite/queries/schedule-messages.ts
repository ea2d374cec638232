import type { Instant } from "../../../domain/instant.ts";
import { meetHolder, outcomeOf } from "../../../domain/message-key.ts";
import type { WantedKey } from "../../../domain/message-key.ts";
import { isOutrun } from "../../../domain/message-options.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import { monthOf } from "../../../domain/usage.ts";
import { instantOf } from "../../../domain/wanted-time.ts";
import { formatMessageId } from "../../../platform/message-ids.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import type { Context } from "./context.ts";
import { idempotencyKeys } from "./idempotency-keys.ts";

interface Owner {
  readonly accountKey: number;
  readonly targetKey: number;
}

/** The moment of a call, and the month that it counts for. */
interface Moment {
  readonly now: Instant;
  readonly month: string;
}

export function scheduleMessages(context: Context) {
  const { clock, ids, accounts, targets, messages, claims, usage, retentionMs } = context;
  const keys = idempotencyKeys(context);

  function scheduleOne(request: ScheduleRequest, moment: Moment): ScheduleResult {
    const accountKey = accounts.keyOf(request.accountId);
    if (accountKey === undefined) return { kind: "no-target" };
    const repeated = keys.find(accountKey, request, moment.now);
    if (repeated !== undefined) return repeated;
    const targetKey = targets.keyOf(accountKey, request.targetId);
    if (targetKey === undefined) return { kind: "no-target" };
    const owner = { accountKey, targetKey };
    const result =
      request.wantedKey === undefined
        ? insert(request, owner, instantOf(request.deliveryTime, moment.now), moment)!
        : scheduleKeyed(request, request.wantedKey, owner, moment);
    if (result.kind === "scheduled" || result.kind === "kept") {
      keys.keep(accountKey, request, result, moment.now);
    }
    return result;
  }

  /** Undefined: another scheduled message has its key. */
  function insert(
    request: ScheduleRequest,
    owner: Owner,
    deliveryTime: Instant,
    { now, month }: Moment,
  ): ScheduleResult | undefined {
    const id = ids.next();
    const messageId = formatMessageId(id.bytes);
    const { targetId, options } = request;
    const message = scheduled({ messageId, targetId, deliveryTime, options }, now);
    if (isOutrun(message.options, deliveryTime, now)) return { kind: "too-late" };
    if (!usage.hasRoom(owner.accountKey, month)) return { kind: "over-quota" };
    if (!messages.insert(id, owner, message, request.payload)) return undefined;
    usage.count(owner.accountKey, month);
    return { kind: "scheduled", message, targetKey: owner.targetKey };
  }

  function scheduleKeyed(
    request: ScheduleRequest,
    wanted: WantedKey,
    owner: Owner,
    moment: Moment,
  ): ScheduleResult {
    const { now, month } = moment;
    const deliveryTime = instantOf(request.deliveryTime, now);
    // Most keys are free: taking one is cheaper than looking for its holder first.
    const fresh = insert(request, owner, deliveryTime, moment);
    if (fresh?.kind === "scheduled") return { ...fresh, keyOutcome: "created" };
    const holder = messages.holderOf(owner.targetKey, wanted.key);
    if (holder === undefined) return fresh!;
    const isHeld = claims.get(holder.messageKey) !== undefined;
    const newcomer = { wanted, deliveryTime, options: request.options! };
    const decision = meetHolder(newcomer, holder.message, { isHeld, now, retentionMs });
    const outcome = outcomeOf(wanted, true);
    switch (decision.kind) {
      case "key-taken":
      case "held":
        return { ...decision, messageId: holder.message.messageId };
      case "kept":
        return { kind: "kept", message: holder.message, keyOutcome: "kept" };
      case "in-place":
        if (!usage.hasRoom(owner.accountKey, month)) return { kind: "over-quota" };
        messages.replaceContent(owner, holder, decision.holder, request.payload);
        usage.count(owner.accountKey, month);
        return scheduledAs(decision.holder, owner, outcome);
      case "anew":
        if (!usage.hasRoom(owner.accountKey, month)) return { kind: "over-quota" };
        // First, so that the key is free.
        messages.update(holder, decision.holder);
        return withOutcome(insert(request, owner, decision.deliveryTime, moment)!, outcome);
      default:
        return decision;
    }
  }

  return (requests: readonly ScheduleRequest[]): ScheduleResult[] => {
    const now = clock.now();
    const moment = { now, month: monthOf(now) };
    return requests.map((request) => scheduleOne(request, moment));
  };
}

function scheduledAs(
  message: TrackedMessage,
  { targetKey }: Owner,
  keyOutcome: ReturnType<typeof outcomeOf>,
): ScheduleResult {
  return { kind: "scheduled", message, targetKey, keyOutcome };
}

function withOutcome(
  result: ScheduleResult,
  keyOutcome: ReturnType<typeof outcomeOf>,
): ScheduleResult {
  return result.kind === "scheduled" ? { ...result, keyOutcome } : result;
}
