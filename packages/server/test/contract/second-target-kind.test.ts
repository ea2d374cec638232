import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultAccountId } from "../../src/domain/access.ts";
import { RequestRefused } from "../../src/domain/refusals.ts";
import { attempt } from "../../src/engine/delivery/attempt.ts";
import { wireTarget, wireTargetWithSecret } from "../../src/http/wire/wire-targets.ts";
import { ChangesInTurn } from "../../src/operations/changes/changes-in-turn.ts";
import { createTarget } from "../../src/operations/targets/create-target.ts";
import { getTarget } from "../../src/operations/targets/get-target.ts";
import { rotateSecret } from "../../src/operations/targets/rotate-secret.ts";
import { TestPlaces } from "../../src/operations/targets/test-places.ts";
import { testTarget } from "../../src/operations/targets/test-target.ts";
import { updateTarget } from "../../src/operations/targets/update-target.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemRandom } from "../../src/platform/random.ts";
import { createSecretBox } from "../../src/platform/keyring.ts";
import { systemTimers } from "../../src/platform/timers.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open-sqlite-store.ts";
import type { Store } from "../../src/storage/store.ts";
import { createMailboxTarget } from "../../src/targets/conformance/mailbox/mailbox-target.ts";
import { PostOffice } from "../../src/targets/conformance/mailbox/post-office.ts";
import { createTargetKinds } from "../../src/targets/kinds.ts";
import { openSecrets, openSettings } from "../../src/targets/sealed-target.ts";
import { joinKinds } from "../../src/targets/target-kind.ts";
import { callerOf } from "../simulation/callers/service-line.ts";

/**
 * A target kind is its own folder and one line in a list. Here a kind that shares no setting with webhooks
 * goes through the operations and the engine. A shared file that assumes a webhook fails.
 */
const caller = callerOf(defaultAccountId);
const office = new PostOffice();
const clock = systemClock;
const day = 86_400_000;
const random = systemRandom;
const secretBox = createSecretBox(random.bytes(32), random);
const builtIn = createTargetKinds({
  clock,
  timers: systemTimers,
  allowCidrs: ["127.0.0.1/32"],
  userAgent: "Postdate/test",
});
const targetKinds = joinKinds(builtIn.byDefault, createMailboxTarget(office));

let dataDir: string;
let store: Store;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "postdate-kinds-"));
  store = await openSqliteStore({ dataDir, retentionMs: day, idempotencyRetentionMs: day });
  await store.ensureAccount(defaultAccountId, "default");
});
afterAll(async () => {
  await targetKinds.close();
  await builtIn.close();
  await store.close();
  await rm(dataDir, { recursive: true });
});

const options = () => ({
  store,
  delivery: { targetChanged: () => {} },
  secretBox,
  targetKinds,
  random,
  clock,
  timers: systemTimers,
  testPlaces: new TestPlaces(),
  stopping: new AbortController().signal,
  changesInTurn: new ChangesInTurn({ clock, timers: systemTimers, random }),
});

const create = (given: object) => createTarget(options(), caller, { kind: "mailbox", ...given });
const deliver = (targetId: string, payload: string) =>
  testTarget(options(), caller, {
    targetId,
    payload,
    callerGone: new AbortController().signal,
  });

async function refusedFields(work: Promise<unknown>): Promise<(string | undefined)[]> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RequestRefused);
  return (error as RequestRefused).problems.map(({ field }) => field);
}

test("it is created, read, changed and delivered to", async () => {
  const mailbox = office.open("front-door");
  const made = await create({ targetId: "letters", mailbox: "front-door", pin: "1234" });
  const settings = { mailbox: "front-door", pin: "set", patienceMs: 1_000 };
  expect(made).toMatchObject({ kind: "mailbox", settings, secret: null });

  const read = await getTarget(options(), caller, "letters");
  expect(read.settings).toEqual(settings);

  const change = { ...read.settings, patienceMs: 2_000, maxConcurrency: 3 };
  const changed = await updateTarget(options(), caller, "letters", change);
  expect(changed).toMatchObject({
    settings: { ...settings, patienceMs: 2_000 },
    maxConcurrency: 3,
  });

  const { attempt: made1 } = await deliver("letters", "hello");
  expect(made1).toMatchObject({ outcome: "DELIVERED", statusCode: null, error: null });
  // The caller wrote the pin back as it was shown, and the target still has the real one.
  expect(mailbox.letters).toMatchObject([{ payload: Buffer.from("hello"), pin: "1234" }]);
});

test("on the wire its settings are where a webhook's are, and it has no secret", async () => {
  const made = await create({ targetId: "wired", mailbox: "front-door" });
  const shared = ["retryPolicy", "maxConcurrency", "rateLimit", "paused", "failingAfter"];
  const times = ["creationTime", "updateTime"];
  const own = ["mailbox", "pin", "patienceMs"];
  const fields = ["targetId", "kind", ...own, ...shared, ...times];
  expect(Object.keys(wireTarget(made))).toEqual(fields);
  expect(Object.keys(wireTargetWithSecret(made))).toEqual(fields);
});

test("fields that it does not have are refused by name", async () => {
  const mailbox = "front-door";
  const webhook = { url: "https://example.com/", headers: {} };
  expect(await refusedFields(create({ mailbox, ...webhook }))).toEqual(["url", "headers"]);
  expect(await refusedFields(create({ mailbox, secret: "whsec_x" }))).toEqual(["secret"]);
  expect(await refusedFields(create({ mailbox: "Two Words" }))).toEqual(["mailbox"]);
  expect(await refusedFields(create({ kind: "pigeon" }))).toEqual(["kind"]);
  await create({ targetId: "refusing", mailbox });
  const change = updateTarget(options(), caller, "refusing", { timeoutMs: 5, paused: true });
  expect(await refusedFields(change)).toEqual(["timeoutMs"]);
  expect(await refusedFields(rotateSecret(options(), caller, "refusing", {}))).toEqual([undefined]);
});

test("a target is a webhook if the caller names no kind", async () => {
  const made = await createTarget(options(), caller, { url: "http://127.0.0.1:9/" });
  expect(made).toMatchObject({ kind: "webhook", settings: { contentType: expect.anything() } });
});

test.each([
  ["rejects", "BAD_STATUS", { kind: "dead-letter", reason: "REJECTED" }],
  ["is-not-there", "CONNECTION_FAILED", { kind: "retry" }],
] as const)("the engine follows its classes: a mailbox that %s", async (name, outcome, next) => {
  if (name !== "is-not-there") office.open(name, name);
  await create({ targetId: name, mailbox: name });
  const target = (await store.getTarget({ accountId: defaultAccountId, targetId: name }))!;
  const now = clock.now();
  const claim = {
    messageId: "msg_1",
    targetKey: target.targetKey,
    version: 1,
    dueAt: now,
    planningTime: now,
    originalDeliveryTime: now,
    attemptNumber: 1,
    attemptsThisRound: 0,
    payload: "hello",
    options: null,
  };
  const open = {
    ...target,
    settings: openSettings(secretBox, target),
    secrets: openSecrets(secretBox, target),
  };
  const made = await attempt(
    { kinds: targetKinds, clock, random, openHeaders: () => ({}), tracer: null },
    { target: open, claim, startTime: now, signal: new AbortController().signal },
  );
  expect(made).toMatchObject({ attempt: { outcome }, next });
});
