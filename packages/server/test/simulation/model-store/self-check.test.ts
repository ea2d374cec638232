import { describe, expect, test } from "vitest";
import type { Attempt } from "../../../src/domain/attempt.ts";
import { scheduled } from "../../../src/domain/transitions.ts";
import { createMessageIdGenerator } from "../../../src/platform/message-ids.ts";
import { seededRandom } from "../world/seeded-random.ts";
import { SimulatedTime } from "../world/simulated-time.ts";
import type { StoredMessage } from "./message-table.ts";
import { createDatabaseState } from "./database-state.ts";
import type { DatabaseState } from "./database-state.ts";
import { rightRules } from "./rules.ts";
import { checkAll, checkTouched } from "./self-check.ts";

function stateWithMessage() {
  const clock = new SimulatedTime();
  const random = seededRandom("seed");
  const ids = createMessageIdGenerator({ clock, random, after: 0 });
  const state = createDatabaseState({
    clock,
    ids,
    random,
    rules: rightRules,
    membershipEnded() {},
  });
  const message = scheduled(
    { messageId: "msg_1", targetId: "t", deliveryTime: 7, options: null },
    clock.now(),
  );
  const kept = { accountId: "acc_one", targetKey: 1, acceptedBy: "node", payload: "" };
  const stored: StoredMessage = { ...kept, attempts: [], message };
  state.messages.insert(stored);
  return { state, stored };
}

const entry = { time: 7, targetKey: 1, messageId: "msg_1" };
const held = { messageId: "msg_1", targetKey: 1, version: 1, epoch: 1, generation: 0 };

const attempt: Attempt = {
  number: 1,
  startTime: 0,
  endTime: 0,
  outcome: "TIMEOUT",
  statusCode: null,
  error: null,
  response: null,
};

const damages: Record<string, (state: DatabaseState, stored: StoredMessage) => void> = {
  "missing from a list": ({ messages }) => messages.scheduledOf(1).remove(entry),
  "in two lists": ({ messages }) => messages.expiring.add(entry),
  "in another target's list too": ({ messages }) => messages.scheduledOf(2).add(entry),
  "two with one key": ({ messages }, stored) => {
    const keyed = { ...stored.message, options: { key: "k" } };
    messages.update(stored, keyed);
    messages.insert({ ...stored, message: { ...keyed, messageId: "msg_2" } });
  },
  "scheduled without a time": ({ messages }, stored) =>
    messages.update(stored, { ...stored.message, nextDeliveryTime: null }),
  "ended without an end": ({ messages }, stored) =>
    messages.update(stored, { ...stored.message, state: "DELIVERED", nextDeliveryTime: null }),
  "a failure that is not on record": ({ messages }, stored) =>
    messages.update(stored, { ...stored.message, deliveryFailureCount: 1 }),
  "an attempt that is not counted": (_state, stored) =>
    void stored.attempts.push({ ...attempt, outcome: "DELIVERED" }),
  "an attempt that has left the record too early": ({ messages }, stored) => {
    stored.attempts.push({ ...attempt, number: 2 });
    messages.update(stored, { ...stored.message, attemptCount: 2, deliveryFailureCount: 2 });
  },
  "held by nobody": ({ claims }) => claims.take(held),
  "held in another version": ({ claims, memberships }) => {
    const times = { joinTime: 0, renewalTime: 0, renewedAt: 0, renewals: 0, leaseMs: 0 };
    const node = { nodeId: "node", role: "all", timeZoneVersion: "2026a" } as const;
    memberships.set(1, { ...node, epoch: 1, ...times });
    claims.take({ ...held, version: 2 });
  },
  "held and gone": ({ messages, claims }, stored) => {
    claims.take(held);
    messages.remove(stored);
  },
};

test("a consistent database has no problems", () => {
  const { state } = stateWithMessage();
  expect([...checkTouched(state), ...checkAll(state)]).toEqual([]);
});

describe.each([
  ["touched", checkTouched],
  ["all", checkAll],
])("%s", (_name, check) => {
  test.each(Object.keys(damages))("%s is noticed", (damage) => {
    const { state, stored } = stateWithMessage();
    damages[damage]!(state, stored);
    expect(check(state)).not.toEqual([]);
  });
});
