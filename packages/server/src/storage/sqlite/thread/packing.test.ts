import { expect, test } from "vitest";
import type { WantedKey } from "../../../domain/message-key.ts";
import { scheduled } from "../../../domain/transitions.ts";
import { instantOf } from "../../../domain/wanted-time.ts";
import type { WantedTime } from "../../../domain/wanted-time.ts";
import type { AttemptResult, Claim, Holder, ScheduleRequest } from "../../store.ts";
import type { VerbName } from "./verbs.ts";
import { packingOf } from "./packing.ts";

const across = <T>(packed: T): T => structuredClone(packed);

function expectTheSame(verb: VerbName, args: readonly unknown[], value: unknown): void {
  const packing = packingOf(verb);
  expect(packing.unpackArgs(across(packing.packArgs(args)))).toEqual(args);
  expect(packing.unpackValue(across(packing.packValue(value)), args)).toEqual(value);
}

// No two values of a kind are equal, so that a swap would show.
const request = (name: string, deliveryTime: WantedTime): ScheduleRequest => ({
  accountId: `account ${name}`,
  targetId: `target ${name}`,
  deliveryTime,
  payload: `payload ${name}`,
  options: name === "c" ? { flexWindowMs: 90, labels: { x: "y" } } : null,
  idempotency: name === "b" ? { key: "key", fingerprint: "print" } : null,
});

const keyed = (name: string, onConflict: WantedKey["onConflict"]): ScheduleRequest => ({
  ...request(name, 4),
  options: { key: name, labels: { ["__proto__"]: "a name like any other" } },
  wantedKey: { key: name, onConflict, maxWaitMs: onConflict === "debounce" ? 5 : null },
});

test("schedule requests and their results", () => {
  const requests = [request("a", 1), request("b", 2), request("c", { delayMs: 3 })];
  const kept = (messageId: string, request: ScheduleRequest, now: number) => ({
    kind: "scheduled",
    message: scheduled(
      { ...request, messageId, deliveryTime: instantOf(request.deliveryTime, now) },
      now,
    ),
    targetKey: 7 + now,
  });
  expectTheSame(
    "scheduleMessages",
    [requests],
    [kept("one", requests[0]!, 10), { kind: "over-quota" }, kept("two", requests[2]!, 11)],
  );
  const withKeys = [keyed("d", "reject"), keyed("e", "debounce"), keyed("f", "keep")];
  const created = { ...kept("three", withKeys[0]!, 12), keyOutcome: "created" };
  // It was scheduled before, for another time and with other labels.
  const changed = { ...kept("four", requests[2]!, 13), keyOutcome: "debounced" };
  const held = { kind: "kept", message: kept("five", requests[0]!, 14).message };
  const results = [created, changed, { ...held, keyOutcome: "kept" }];
  expectTheSame("scheduleMessages", [withKeys], results);
});

test("claims", () => {
  const claim = (first: number): Claim => ({
    messageId: `message ${first}`,
    targetKey: first + 1,
    version: first + 2,
    dueAt: first + 3,
    planningTime: first + 4,
    originalDeliveryTime: first + 5,
    attemptNumber: first + 6,
    attemptsThisRound: first + 7,
    payload: `payload ${first}`,
    options: first > 10 ? { timeoutMs: first + 8 } : null,
  });
  const targets = [{ targetKey: 1, revision: 2, nextDueAt: null, closedMs: 3 }];
  const value = { now: 9, claims: [claim(10), claim(20)], targets };
  expectTheSame("claimDue", [{ nodeId: "n", epoch: 1 }, [{ targetKey: 1, limit: 2 }]], value);
});

test("attempt results and their answers", () => {
  const holder: Holder = { nodeId: "node", epoch: 5 };
  const result = (first: number, next: AttemptResult["next"]): AttemptResult => ({
    messageId: `message ${first}`,
    version: first + 1,
    attempt: {
      number: first + 2,
      startTime: first + 3,
      endTime: first + 4,
      outcome: "BAD_STATUS",
      statusCode: first + 5,
      error: `error ${first}`,
      response: `response ${first}`,
    },
    next,
  });
  const results = [
    result(10, { kind: "delivered" }),
    result(20, { kind: "retry", delayMs: 99 }),
    result(30, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
  ];
  expectTheSame(
    "recordAttempts",
    [holder, results],
    [
      { kind: "recorded", message: { state: "DELIVERED", nextDeliveryTime: null } },
      { kind: "recorded", message: { state: "SCHEDULED", nextDeliveryTime: 8 } },
      { kind: "stale" },
    ],
  );
});
