import type { Instant } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import type { NextStep } from "../../../domain/retry-policy.ts";
import type {
  AttemptResult,
  ClaimResult,
  Claim,
  Holder,
  RecordResult,
  ScheduleRequest,
  ScheduleResult,
} from "../../store.ts";
import type { VerbName } from "../verbs.ts";

/**
 * How the verbs that every message passes through cross to the store's thread and back. Copying an
 * object between threads writes the name of each of its fields, every time; a flat list of values
 * costs a fifth of that. All other verbs cross as they are.
 */
interface Packing<Args extends readonly unknown[], Value> {
  packArgs(args: Args): unknown[];
  unpackArgs(packed: readonly unknown[]): Args;
  packValue(value: Value): unknown;
  /** What the caller knows is not sent back to it. */
  unpackValue(packed: unknown, args: Args): Value;
}

const scheduleMessages: Packing<readonly [readonly ScheduleRequest[]], ScheduleResult[]> = {
  packArgs([requests]) {
    const packed: unknown[] = [];
    for (const { accountId, targetId, deliveryTime, payload, idempotency } of requests) {
      packed.push(accountId, targetId, deliveryTime, payload, idempotency);
    }
    return packed;
  },
  unpackArgs(packed) {
    const requests: ScheduleRequest[] = [];
    for (let at = 0; at < packed.length; at += 5) {
      requests.push({
        accountId: packed[at] as string,
        targetId: packed[at + 1] as string,
        deliveryTime: packed[at + 2] as Instant,
        payload: packed[at + 3] as string,
        idempotency: packed[at + 4] as ScheduleRequest["idempotency"],
      });
    }
    return [requests];
  },
  packValue(results) {
    const packed: unknown[] = [];
    for (const result of results) {
      if (result.kind === "scheduled") {
        const { messageId, schedulingTime } = result.message;
        packed.push(messageId, schedulingTime, result.targetKey);
      } else packed.push(result, null, null);
    }
    return packed;
  },
  unpackValue(packed, [requests]) {
    const values = packed as readonly unknown[];
    return requests.map((request, index) => {
      const messageId = values[index * 3];
      if (typeof messageId !== "string") return messageId as ScheduleResult;
      const { targetId, deliveryTime } = request;
      const schedulingTime = values[index * 3 + 1] as Instant;
      return {
        kind: "scheduled",
        message: scheduled({ messageId, targetId, deliveryTime }, schedulingTime),
        targetKey: values[index * 3 + 2] as number,
      };
    });
  },
};

const claimDue: Packing<readonly unknown[], ClaimResult> = {
  packArgs: (args) => [...args],
  unpackArgs: (packed) => packed,
  packValue({ now, claims, targets }) {
    const packed: unknown[] = [];
    for (const claim of claims) {
      packed.push(
        claim.messageId,
        claim.targetKey,
        claim.version,
        claim.dueAt,
        claim.planningTime,
        claim.originalDeliveryTime,
        claim.attemptNumber,
        claim.attemptsThisRound,
        claim.payload,
      );
    }
    return { now, targets, claims: packed };
  },
  unpackValue(packed) {
    const { claims: values, ...rest } = packed as Omit<ClaimResult, "claims"> & {
      readonly claims: readonly unknown[];
    };
    const claims: Claim[] = [];
    for (let at = 0; at < values.length; at += 9) {
      claims.push({
        messageId: values[at] as string,
        targetKey: values[at + 1] as number,
        version: values[at + 2] as number,
        dueAt: values[at + 3] as Instant,
        planningTime: values[at + 4] as Instant,
        originalDeliveryTime: values[at + 5] as Instant,
        attemptNumber: values[at + 6] as number,
        attemptsThisRound: values[at + 7] as number,
        payload: values[at + 8] as string,
      });
    }
    return { ...rest, claims };
  },
};

const recordAttempts: Packing<readonly [Holder, readonly AttemptResult[]], RecordResult[]> = {
  packArgs([holder, results]) {
    const packed: unknown[] = [holder.nodeId, holder.epoch];
    for (const { messageId, version, attempt, next } of results) {
      packed.push(
        messageId,
        version,
        attempt.number,
        attempt.startTime,
        attempt.endTime,
        attempt.outcome,
        attempt.statusCode,
        attempt.error,
        attempt.response,
        next.kind,
        next.kind === "retry" ? next.delayMs : null,
      );
    }
    return packed;
  },
  unpackArgs(packed) {
    const results: AttemptResult[] = [];
    for (let at = 2; at < packed.length; at += 11) {
      const kind = packed[at + 9] as NextStep["kind"];
      results.push({
        messageId: packed[at] as string,
        version: packed[at + 1] as number,
        attempt: {
          number: packed[at + 2] as number,
          startTime: packed[at + 3] as Instant,
          endTime: packed[at + 4] as Instant,
          outcome: packed[at + 5] as AttemptResult["attempt"]["outcome"],
          statusCode: packed[at + 6] as number | null,
          error: packed[at + 7] as string | null,
          response: packed[at + 8] as string | null,
        },
        next: kind === "retry" ? { kind, delayMs: packed[at + 10] as number } : { kind },
      });
    }
    return [{ nodeId: packed[0] as string, epoch: packed[1] as number }, results];
  },
  packValue(results) {
    const packed: unknown[] = [];
    for (const result of results) {
      if (result.kind === "stale") packed.push(null, null);
      else packed.push(result.message.state, result.message.nextDeliveryTime);
    }
    return packed;
  },
  unpackValue(packed, [, results]) {
    const values = packed as readonly unknown[];
    return results.map((_, index): RecordResult => {
      const state = values[index * 2];
      if (state === null) return { kind: "stale" };
      const message = {
        state: state as (RecordResult & { kind: "recorded" })["message"]["state"],
        nextDeliveryTime: values[index * 2 + 1] as Instant | null,
      };
      return { kind: "recorded", message };
    });
  },
};

const asTheyAre: Packing<readonly unknown[], unknown> = {
  packArgs: (args) => args as unknown[],
  unpackArgs: (packed) => packed,
  packValue: (value) => value,
  unpackValue: (packed) => packed,
};

const packings: Readonly<Partial<Record<VerbName, Packing<readonly unknown[], unknown>>>> = {
  scheduleMessages,
  claimDue,
  recordAttempts,
};

export function packingOf(verb: VerbName): Packing<readonly unknown[], unknown> {
  return packings[verb] ?? asTheyAre;
}
