import { expect, test } from "vitest";
import type { ConflictMode } from "../../../domain/message-key.ts";
import type { Message } from "../../../domain/message.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import { inRounds } from "./in-rounds.ts";

function keyed(onConflict: ConflictMode, idempotency: ScheduleRequest["idempotency"] = null) {
  const wantedKey = { key: "k", onConflict, maxWaitMs: null };
  const options = { key: "k" };
  const of = { accountId: "a", targetId: "t", deliveryTime: 0, payload: "" };
  return { ...of, options, wantedKey, idempotency };
}

const message = { messageId: "msg_1" } as Message;
const created: ScheduleResult = { kind: "scheduled", message, targetKey: 1, keyOutcome: "created" };
const kept: ScheduleResult = { kind: "kept", message, keyOutcome: "kept" };
const taken: ScheduleResult = { kind: "key-taken", messageId: message.messageId };

const held: ScheduleResult = { kind: "held", messageId: message.messageId };

async function decided(requests: readonly ScheduleRequest[], first: ScheduleResult = created) {
  let rounds = 0;
  const answers = await inRounds(requests, async (round) => {
    rounds++;
    return round.map(() => first);
  });
  return { rounds, answers };
}

const thousand = <Value>(value: Value): Value[] => Array.from({ length: 1_000 }, () => value);

test.each([
  { onConflict: "keep", first: created, answer: kept },
  { onConflict: "keep", first: kept, answer: kept },
  { onConflict: "reject", first: created, answer: taken },
  { onConflict: "reject", first: taken, answer: taken },
  { onConflict: "debounce", first: held, answer: held },
  { onConflict: "replace", first: { kind: "no-target" }, answer: { kind: "no-target" } },
] as const)(
  "a thousand with one key and $onConflict need one round after $first.kind",
  async ({ onConflict, first, answer }) => {
    const { rounds, answers } = await decided(thousand(keyed(onConflict)), first);
    expect(rounds).toBe(1);
    expect(answers).toEqual([first, ...thousand(answer).slice(1)]);
  },
);

test("what changes the holder, and what may be repeated, has a round of its own", async () => {
  const repeatable = keyed("keep", { key: "i", fingerprint: "f" });
  const requests = [keyed("keep"), keyed("replace"), keyed("keep"), repeatable, keyed("reject")];
  const { rounds, answers } = await decided(requests);
  expect(rounds).toBe(3);
  expect(answers).toEqual([created, created, kept, created, taken]);
});
