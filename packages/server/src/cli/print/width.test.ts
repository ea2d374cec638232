import { describe, expect, test } from "vitest";
import { paintFor } from "../terminal/colours.ts";
import { displayWidth } from "../terminal/display-width.ts";
import type { Look } from "../terminal/look.ts";
import { wireAttempt, wireMessage, wireTarget } from "../testing/samples.ts";
import { wireRun, wireSchedule } from "../testing/wire-schedule.ts";
import { accountCard, accountRows } from "./accounts.ts";
import { attemptRows } from "./attempts.ts";
import { auditRows } from "./audit.ts";
import { clientRows } from "./clients.ts";
import { deadLetterRows, foundRows, messageCard, scheduledRows } from "./messages.ts";
import { nodeRows } from "./nodes.ts";
import { signingKeyRows } from "./signing-keys.ts";
import { profileRows } from "./profiles.ts";
import { runCard, runRows } from "./runs.ts";
import { scheduleCard, scheduleRows } from "./schedules.ts";
import { keyRows, targetCard, targetRows } from "./targets.ts";

const time = "2026-11-14T09:30:00.000Z";
const id = "x_01kq3v9x2eb8fsm4t7w5ch6d0n";
const credential = {
  name: "continuous integration",
  creationTime: time,
  scopes: ["scheduler.messages.readwrite" as const],
};
const account = {
  accountId: id,
  name: "The Blue Shop of Reykjavík",
  state: "ACTIVE" as const,
  monthlyMessageLimit: 500,
  requestLimit: null,
  creationTime: time,
  suspensionTime: null,
};
const entry = {
  entryId: "aud_1",
  requestId: null,
  time,
  actor: { kind: "key" as const, id: "key_01kq3v9x2eb8fsm4t7w5ch6d0n" },
  action: "target.update" as const,
  subjectId: id,
  detail: { fields: ["url", "rateLimit"] },
};
const failed = wireAttempt({
  number: 12,
  outcome: "BAD_STATUS",
  statusCode: 503,
  error: "The target answered 503, and asked for patience until tomorrow.",
  response: "down for maintenance ".repeat(9),
});
const deadLetter = wireMessage({
  messageId: id,
  state: "DEAD_LETTER",
  nextDeliveryTime: null,
  deadLetterTime: time,
  deadLetterReason: "ADDRESS_REFUSED",
  labels: { order: "17", customer: "The Blue Shop of Reykjavík" },
  notAfter: time,
  retryPolicy: wireTarget().retryPolicy,
});
const node = {
  nodeId: id,
  role: "all" as const,
  joinTime: time,
  heartbeatAgeMs: 1_200,
  inFlight: 3,
};

const skipped = wireRun({ outcome: "SKIPPED", reason: "OVERLAP", messageId: null });
const schedule = wireSchedule({
  scheduleId: id,
  lastRun: skipped,
  cron: ["0 9 * * MON-FRI", "0 11 * * SAT"],
  except: ["2026-12-24", "2026-12-31"],
  paused: true,
  pause: { time, note: "until the new templates are there", until: time, reason: "REQUESTED" },
});

const wideName = "東京の請求書サービス 😀 と、もう一つのとても長い名前";
const profile = {
  name: "prod",
  url: `https://${id}`,
  keys: ["account", "operator"],
  isCurrent: true,
};

const lists: readonly [string, (look: Look) => string][] = [
  ["messages", (look) => scheduledRows([wireMessage({ messageId: id })], look)],
  ["dead letters", (look) => deadLetterRows([deadLetter], look)],
  ["found messages", (look) => foundRows([deadLetter, wireMessage()], look)],
  ["attempts", (look) => attemptRows([failed], look)],
  ["targets", (look) => targetRows([wireTarget({ targetId: id, url: `https://${id}` })], look)],
  ["keys", (look) => keyRows([{ ...credential, keyId: id }], look)],
  ["clients", (look) => clientRows([{ ...credential, clientId: id, secretTime: time }], look)],
  ["accounts", (look) => accountRows([account], look)],
  ["wide names", (look) => accountRows([account, { ...account, name: wideName }], look)],
  ["profiles", (look) => profileRows([profile, { ...profile, name: id }], look)],
  ["the audit log", (look) => auditRows([entry], look)],
  ["nodes", (look) => nodeRows([node], look)],
  ["schedules", (look) => scheduleRows([schedule, wireSchedule({ scheduleId: id })], look)],
  ["runs", (look) => runRows([wireRun({ messageId: id }), skipped], look)],
  [
    "signing keys",
    (look) => signingKeyRows([{ keyId: id, state: "SIGNING", creationTime: time }], look),
  ],
];

const cards: readonly [string, (look: Look) => string][] = [
  ["a message", (look) => messageCard(wireMessage({ messageId: id }), look)],
  ["a dead letter", (look) => messageCard(deadLetter, look)],
  ["a target", (look) => targetCard(wireTarget({ targetId: id }), look)],
  ["a schedule", (look) => scheduleCard(schedule, look)],
  ["a run", (look) => runCard(skipped, look)],
  ["an account", (look) => accountCard({ ...account, name: wideName }, look)],
];

describe.each([200, 100, 80, 60, 50, 40, 32])("at %d columns", (columns) => {
  test.each(lists)("%s fit, and ids are complete", (name, rows) => {
    const paint = paintFor({ isTTY: true, write: () => {} }, {});
    const text = rows({ paint, now: Date.UTC(2026, 10, 14, 10), columns });
    for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    if (name === "attempts") expect(text).toContain("BAD_STATUS");
    else expect(text).toContain(id);
  });

  test.each(cards)("the facts of %s fit, and are complete", (_name, card) => {
    const paint = paintFor({ write: () => {} }, {});
    const look = { paint, now: Date.UTC(2026, 10, 14, 10) };
    const text = card({ ...look, columns });
    for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    const words = (shown: string): string[] => shown.split(/\s+/);
    expect(words(text)).toEqual(words(card({ ...look, columns: null })));
  });
});
