import type { DeadLetterReason } from "../../../domain/end-reason.ts";
import type { KeyOutcome, WantedKey } from "../../../domain/message-key.ts";
import type { MessageOptions } from "../../../domain/message-options.ts";
import type { Instant, MessageState } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import { instantOf } from "../../../domain/wanted-time.ts";
import type { WantedTime } from "../../../domain/wanted-time.ts";
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
import type { VerbName } from "./verbs.ts";

/**
 * How the verbs that every message uses pass to the store's thread and back. Copying an object
 * between threads writes the name of each field every time. A flat list of values costs a fifth of
 * that. All other verbs pass as they are.
 *
 * A value is unpacked in the order in which it was packed, and the cursor counts along. A new field
 * is one more `push`, and one more line at the same point of the unpacked object.
 */
interface Packing<Args extends readonly unknown[], Value> {
  packArgs(args: Args): unknown[];
  unpackArgs(packed: readonly unknown[]): Args;
  packValue(value: Value): unknown;
  /** Leaves out what the caller knows already. */
  unpackValue(packed: unknown, args: Args): Value;
}

const scheduleMessages: Packing<readonly [readonly ScheduleRequest[]], ScheduleResult[]> = {
  packArgs([requests]) {
    const packed: unknown[] = [];
    for (const request of requests) {
      packed.push(
        request.accountId,
        request.targetId,
        request.deliveryTime,
        request.payload,
        request.idempotency?.key,
        request.idempotency?.fingerprint,
        // As text: a copied object would again carry the names of its fields.
        request.options === null ? null : JSON.stringify([request.options, request.wantedKey]),
      );
    }
    return packed;
  },
  unpackArgs(packed) {
    const requests: ScheduleRequest[] = [];
    for (let at = 0; at < packed.length;) {
      const request = {
        accountId: packed[at++] as string,
        targetId: packed[at++] as string,
        deliveryTime: packed[at++] as WantedTime,
        payload: packed[at++] as string,
        options: null,
        idempotency: idempotencyOf(packed[at++], packed[at++]),
      };
      const options = packed[at++] as string | null;
      requests.push(options === null ? request : { ...request, ...optionsOf(options) });
    }
    return [requests];
  },
  packValue(results) {
    const packed: unknown[] = [];
    for (const result of results) {
      if (result.kind === "scheduled" && followsFromRequest(result)) {
        const { messageId, schedulingTime } = result.message;
        packed.push(messageId, schedulingTime, result.targetKey);
      } else packed.push(result, null, null);
    }
    return packed;
  },
  unpackValue(packed, [requests]) {
    const values = packed as readonly unknown[];
    let at = 0;
    return requests.map(({ targetId, deliveryTime: wanted, options, wantedKey }) => {
      const messageId = values[at++];
      const schedulingTime = values[at++] as Instant;
      const targetKey = values[at++] as number;
      if (typeof messageId !== "string") return messageId as ScheduleResult;
      const deliveryTime = instantOf(wanted, schedulingTime);
      const message = scheduled({ messageId, targetId, deliveryTime, options }, schedulingTime);
      return wantedKey === undefined
        ? { kind: "scheduled", message, targetKey }
        : { kind: "scheduled", message, targetKey, keyOutcome: "created" };
    });
  },
};

function optionsOf(text: string): Pick<ScheduleRequest, "options" | "wantedKey"> {
  const [options, wantedKey] = JSON.parse(text) as [MessageOptions, WantedKey | null];
  return wantedKey === null ? { options } : { options, wantedKey };
}

/** Not for a message that took over from the holder of its key. */
function followsFromRequest({ keyOutcome }: { readonly keyOutcome?: KeyOutcome }): boolean {
  return keyOutcome === undefined || keyOutcome === "created";
}

function idempotencyOf(key: unknown, fingerprint: unknown): ScheduleRequest["idempotency"] {
  if (key === undefined) return null;
  return { key: key as string, fingerprint: fingerprint as string };
}

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
        claim.options,
      );
    }
    return { now, targets, claims: packed };
  },
  unpackValue(packed) {
    const { claims: values, ...rest } = packed as Omit<ClaimResult, "claims"> & {
      readonly claims: readonly unknown[];
    };
    const claims: Claim[] = [];
    for (let at = 0; at < values.length;) {
      claims.push({
        messageId: values[at++] as string,
        targetKey: values[at++] as number,
        version: values[at++] as number,
        dueAt: values[at++] as Instant,
        planningTime: values[at++] as Instant,
        originalDeliveryTime: values[at++] as Instant,
        attemptNumber: values[at++] as number,
        attemptsThisRound: values[at++] as number,
        payload: values[at++] as string,
        options: values[at++] as Claim["options"],
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
        detailOf(next),
      );
    }
    return packed;
  },
  unpackArgs(packed) {
    let at = 0;
    const holder = { nodeId: packed[at++] as string, epoch: packed[at++] as number };
    const results: AttemptResult[] = [];
    while (at < packed.length) {
      results.push({
        messageId: packed[at++] as string,
        version: packed[at++] as number,
        attempt: {
          number: packed[at++] as number,
          startTime: packed[at++] as Instant,
          endTime: packed[at++] as Instant,
          outcome: packed[at++] as AttemptResult["attempt"]["outcome"],
          statusCode: packed[at++] as number | null,
          error: packed[at++] as string | null,
          response: packed[at++] as string | null,
        },
        next: nextStep(packed[at++] as NextStep["kind"], packed[at++]),
      });
    }
    return [holder, results];
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
    let at = 0;
    return results.map((): RecordResult => {
      const state = values[at++] as MessageState | null;
      const nextDeliveryTime = values[at++] as Instant | null;
      if (state === null) return { kind: "stale" };
      return { kind: "recorded", message: { state, nextDeliveryTime } };
    });
  },
};

function detailOf(next: NextStep): unknown {
  if (next.kind === "delivered") return null;
  return next.kind === "retry" ? next.delayMs : next.reason;
}

function nextStep(kind: NextStep["kind"], detail: unknown): NextStep {
  if (kind === "delivered") return { kind };
  return kind === "retry"
    ? { kind, delayMs: detail as number }
    : { kind, reason: detail as DeadLetterReason };
}

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
