import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { pino } from "pino";
import { defaultAccountId } from "../../domain/access.ts";
import type { Scope } from "../../domain/access.ts";
import { createPageTokens } from "../../domain/page-token.ts";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import { EventFeed } from "../../engine/events/reading/event-feed.ts";
import { LogWatch } from "../../engine/events/reading/log-watch.ts";
import { auditNote, theService } from "../../operations/audit/audit-note.ts";
import { generateKey, hashKey, rootKeyId } from "../../operations/access/create-key.ts";
import { findCredential } from "../../operations/access/find-credential.ts";
import { createKeyMarks } from "../../operations/access/key-marks.ts";
import { createOperations } from "../../operations/operations.ts";
import { TestPlaces } from "../../operations/targets/test-places.ts";
import { ListeningPlaces } from "../../operations/events/listening-places.ts";
import { systemClock } from "../../platform/clock.ts";
import { readHeap } from "../../platform/heap.ts";
import { systemRandom } from "../../platform/random.ts";
import { createSecretBox } from "../../platform/keyring.ts";
import { systemTimers } from "../../platform/timers.ts";
import { openSqliteStore } from "../../storage/sqlite/open-sqlite-store.ts";
import type { Store } from "../../storage/store.ts";
import { createAccessTokens } from "../../tokens/jwt/create-access-tokens.ts";
import { createTargetKinds } from "../../targets/kinds.ts";
import { createAuthenticator } from "../admission/authenticate.ts";
import type { HttpOptions } from "../http-options.ts";
import { buildHttpServer } from "../http-server.ts";
import { writeEvent, writeTestEvent } from "../wire/wire-events.ts";

export const operatorKey = "pdo_operator_of_the_test_api";
const publicUrl = "http://postdate.test";

/** The whole API on a real store, without an engine. It records what it would tell the engine. */
export interface TestApi {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly rootKey: string;
  readonly due: { readonly targetKey: number; readonly dueAt: number }[];
  readonly changedTargets: number[];
  readonly readiness: { ready: boolean; reasons: string[] };
  /** While set, every store call rejects with this error. */
  readonly trouble: { error: Error | null };
  call(options: InjectOptions & { readonly key?: string | null }): Promise<LightMyRequestResponse>;
  keyWith(...scopes: Scope[]): Promise<string>;
  close(): Promise<void>;
}

export async function openTestApi(
  changes: Partial<HttpOptions> = {},
  ofStore: { readonly eventRetentionMs?: number } = {},
): Promise<TestApi> {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-http-"));
  const day = 86_400_000;
  const realStore = await openSqliteStore({
    dataDir,
    retentionMs: day,
    idempotencyRetentionMs: day,
    ...ofStore,
  });
  const trouble: TestApi["trouble"] = { error: null };
  const store = new Proxy(realStore, {
    get: (target, verb: keyof Store) =>
      trouble.error !== null && verb !== "close"
        ? () => Promise.reject(trouble.error)
        : target[verb],
  });
  const random = systemRandom;
  const keyMarks = createKeyMarks(random.bytes(32));
  const rootKey = generateKey({ random, keyMarks });
  await store.ensureAccount(defaultAccountId, "default");
  const accountId = defaultAccountId;
  await store.createKey(
    {
      accountId,
      keyId: rootKeyId,
      name: "root",
      scopes: ["scheduler.all.readwrite"],
      hash: hashKey(rootKey),
    },
    auditNote(random, theService, { action: "key.created", accountId, subjectId: rootKeyId }),
  );
  const targetKinds = createTargetKinds({
    clock: systemClock,
    timers: systemTimers,
    allowCidrs: ["127.0.0.1/32"],
    userAgent: "Postdate/test",
  });
  const due: TestApi["due"] = [];
  const changedTargets: number[] = [];
  const secretBox = createSecretBox(random.bytes(32), random);
  const tokens = createAccessTokens({
    store,
    secretBox,
    random,
    clock: systemClock,
    timers: systemTimers,
    rememberMs: Infinity,
    noteOf: (action, keyId) =>
      auditNote(random, theService, { action, accountId: null, subjectId: keyId }),
    issuer: () => publicUrl,
    publicUrl,
    tokenLifetimeMs: 3_600_000,
    signingKeyRotationMs: day,
    trustedIssuers: [],
  });
  const authenticator = createAuthenticator({
    findCredential: (bearer) => findCredential({ store, tokens }, bearer),
    operatorKey,
    isMarkedKey: (key) => keyMarks.isMarked(key),
    clock: systemClock,
    rememberMs: Infinity,
  });
  const observer = {
    trouble(error: unknown) {
      throw error;
    },
  };
  const logs = new LogWatch({ store, timers: systemTimers, observer });
  const reading = new EventFeed({ store, logs, timers: systemTimers, observer });
  const operations = createOperations({
    store,
    delivery: {
      noteBound: () => {},
      noteJob: () => {},
      noteSchedule: () => {},
      noteDue: (_accountId, targetKey, dueAt) => void due.push({ targetKey, dueAt }),
      targetChanged: (_accountId, targetKey) => void changedTargets.push(targetKey),
    },
    secretBox,
    tokens,
    targetKinds,
    encryption: {
      keyId: () => "key_test",
      keyIdOf: () => "key_test",
      makeKey: null,
      noteRotation: () => {},
      inTurn: (work) => work(),
    },
    pageTokens: createPageTokens(random.bytes(32)),
    clock: systemClock,
    timers: systemTimers,
    random,
    timeZones: new TimeZones(),
    testPlaces: new TestPlaces(),
    events: { endpointsChanged: (accountId) => reading.endpointsChanged(accountId) },
    reading,
    listeningPlaces: new ListeningPlaces({ places: 1_000 }),
    eventSender: targetKinds.eventSender,
    writeEvent,
    writeTestEvent,
    keyMarks,
    cancelWaitMs: 50,
    credentialsChanged: async (accountId) => authenticator.forget(accountId),
    stopping: new AbortController().signal,
  });
  const readiness = { ready: true, reasons: [] as string[] };
  const app = buildHttpServer({
    operations,
    authenticator,
    issuer: () => publicUrl,
    takeRequests: (takes) => store.takeRequests(takes),
    limits: {
      maxRequests: 1_000,
      // A busy machine must not fail tests of other things.
      maxLoopDelayMs: Infinity,
      tokenRequestLimit: { max: 1_000, intervalMs: 1_000 },
      trustProxies: [],
      publicUrl,
    },
    clock: systemClock,
    timers: systemTimers,
    readHeap,
    observer: { shed() {}, limited() {}, answered() {} },
    tracer: null,
    logger: pino({ enabled: false }),
    random,
    readiness: async () => readiness,
    metricsText: async () => ({ contentType: "text/plain; version=0.0.4", body: "up 1\n" }),
    version: "0.0.0-test",
    answersCallers: true,
    hasStarted: () => true,
    ...changes,
  });
  await app.ready();

  const call: TestApi["call"] = ({ key = rootKey, headers, ...options }) =>
    app.inject({
      ...options,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
    });
  return {
    app,
    store,
    rootKey,
    due,
    changedTargets,
    readiness,
    trouble,
    call,
    async keyWith(...scopes) {
      const made = await call({ method: "POST", url: "/v1/keys", body: { name: "test", scopes } });
      return made.json<{ key: string }>().key;
    },
    async close() {
      await reading.stop();
      await logs.stop();
      await app.close();
      await targetKinds.close();
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
