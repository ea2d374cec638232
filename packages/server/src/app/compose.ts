import type { Settings } from "../config/settings.ts";
import { createPageTokens } from "../domain/page-token.ts";
import { TimeZones } from "../domain/time-zones/time-zones.ts";
import type { Target } from "../domain/target.ts";
import { ActivityRecorder } from "../engine/activity/activity-recorder.ts";
import { createEngine } from "../engine/create-engine.ts";
import type { EngineOptions } from "../engine/create-engine.ts";
import type { OpenTarget } from "../engine/delivery/lane.ts";
import type { SignInLink } from "../domain/session.ts";
import { createAuthenticator } from "../http/admission/authenticate.ts";
import { buildHttpServer } from "../http/http-server.ts";
import { writeEvent, writeTestEvent } from "../http/wire/wire-events.ts";
import { createMetricsListener } from "../http/metrics-listener.ts";
import { auditNote, theService } from "../operations/audit/audit-note.ts";
import { findCredential } from "../operations/access/find-credential.ts";
import { createKeyMarks } from "../operations/access/key-marks.ts";
import { ListeningPlaces } from "../operations/events/listening-places.ts";
import { createOperations } from "../operations/operations.ts";
import { TestPlaces } from "../operations/targets/test-places.ts";
import { systemClock } from "../platform/clock.ts";
import { readHeap } from "../platform/heap.ts";
import type { Logger } from "../platform/logger.ts";
import { busyShareOfThread, releaseHeap, MemoryAtRest } from "../platform/memory-at-rest.ts";
import { systemRandom } from "../platform/random.ts";
import { createRememberedRead } from "../platform/remembered-read.ts";
import { openPart, startInOrder, stopInReverse } from "../platform/running-parts.ts";
import type { RunningPart } from "../platform/running-parts.ts";
import { PlacesInTurn } from "../platform/places-in-turn.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import { pause, systemTimers } from "../platform/timers.ts";
import type { Timers } from "../platform/timers.ts";
import type { Store } from "../storage/store.ts";
import { openHeaders } from "../targets/message-headers.ts";
import { openWebhook } from "../targets/sealed-endpoint.ts";
import { openSecrets, openSettings } from "../targets/sealed-target.ts";
import { createTargetKinds } from "../targets/kinds.ts";
import { createAccessTokens } from "../tokens/jwt/create-access-tokens.ts";
import { takeEncryptionKeys } from "./first-start/take-encryption-keys.ts";
import { createHttpPart } from "./http-part.ts";
import { createKeyRotator } from "./create-key-rotator.ts";
import { listeningAddress, reachableAddress } from "./listening-address.ts";
import { countChanges } from "./observability/count-changes.ts";
import { loggingAudit } from "./observability/logging-audit.ts";
import { createMetricsText } from "./observability/metrics-text.ts";
import type { Metrics } from "./observability/metrics.ts";
import { observeDeliveries } from "./observability/observe-deliveries.ts";
import { observeEvents } from "./observability/observe-events.ts";
import { observeJobs } from "./observability/observe-jobs.ts";
import type { Tracing } from "./observability/tracing/open-tracing.ts";
import { observeSchedules } from "./observability/observe-schedules.ts";
import { observeRequests } from "./observability/observe-requests.ts";
import { timeCalls } from "./observability/time-calls.ts";
import { ensureRootAccess } from "./first-start/root-access.ts";
import { version } from "./version.ts";

export interface Service {
  /** What `/readyz` says. */
  isReady(): Promise<boolean>;
  /**
   * Starts to listen and to deliver, then reports that it is ready. If that fails, nothing stays open
   * or running.
   */
  start(): Promise<StartedService>;
  /**
   * Reports that it is not ready, claims nothing more, finishes or interrupts attempts in flight,
   * closes all.
   */
  stop(): Promise<void>;
}

export interface StartedService {
  readonly url: string;
  /** Set only when the metrics have their own port. */
  readonly metricsUrl: string | undefined;
  /** The root key, if this start generated one. */
  readonly generatedRootKey: string | null;
}

const slowestPingMs = 2_000;
/** Anybody may ask for readiness as often as they like, so the store is asked at most this often. */
const pingEveryMs = 500;

export interface ComposeOptions {
  readonly settings: Settings;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Null: the service takes no part in traces. */
  readonly tracing: Tracing | null;
  /** Null: nobody has been given one. */
  readonly signInLink: SignInLink | null;
  readonly nodeId: string;
  /** The log level for what a start does by itself. */
  readonly startLevel: "info" | "debug";
}

/** The only module that makes the parts and connects them. Takes ownership of the store, also on failure. */
export async function compose({
  settings,
  store,
  metrics,
  logger,
  tracing,
  signInLink,
  nodeId,
  startLevel,
}: ComposeOptions): Promise<Service> {
  const clock = systemClock;
  const timers = systemTimers;
  const random = systemRandom;
  let started = false;

  try {
    const counted = countChanges(timeCalls(store, { metrics, clock }), metrics);
    return await composeOver(loggingAudit(counted, logger, () => (started ? "info" : startLevel)));
  } catch (error) {
    await store.close();
    throw error;
  }

  async function composeOver(opened: Store): Promise<Service> {
    const encryption = await takeEncryptionKeys({ settings, store: opened, random, nodeId });
    const { keyring: secretBox, secrets } = encryption;

    const targetKinds = createTargetKinds({
      clock,
      timers,
      allowCidrs: settings.allowCidrs,
      userAgent: `Postdate/${version}`,
    });
    const deliveries = observeDeliveries(metrics, logger);
    const activity = new ActivityRecorder({
      store: opened,
      clock,
      timers,
      observer: {
        activityLost: (attempts) => metrics.lostActivity.inc(attempts),
        trouble: (error, doing) => deliveries.trouble(error, doing),
      },
    });
    const observer: EngineOptions["observer"] = {
      ...deliveries,
      ...observeJobs(metrics, logger),
      ...observeSchedules(metrics, logger),
      ...observeEvents(metrics),
      leaseGranted: (askedAt) => metrics.lease.happened(askedAt),
      lookedAhead: () => metrics.lookAhead.happened(),
      attemptEnded(event) {
        deliveries.attemptEnded(event);
        activity.attemptEnded(event);
        metrics.targets?.attemptEnded(event);
      },
    };
    const engine = createEngine({
      store: opened,
      kinds: targetKinds,
      openTarget: (target) => openTargetWith(secretBox, target),
      openHeaders: (headers) => openHeaders(secretBox, headers),
      events: {
        sender: targetKinds.eventSender,
        openWebhook: (endpoint) => openWebhook(secretBox, endpoint)!,
        writeEvent,
      },
      clock,
      timers,
      random,
      observer,
      tracer: tracing?.attempts ?? null,
      nodeId,
      role: settings.role,
      maxInFlight: settings.maxInFlight,
      drainTimeoutMs: settings.drainTimeoutMs,
    });
    // The store's clock decides what has expired and what is new.
    const storeClock = { now: () => opened.clock.now(), monotonic: () => clock.monotonic() };
    const issuer = (): string => settings.publicUrl ?? reachableAddress(http);
    const tokens = createAccessTokens({
      store: opened,
      secretBox,
      random,
      clock: storeClock,
      timers,
      rememberMs: opened.sharing?.credentialMs ?? Infinity,
      noteOf: (action, keyId) =>
        auditNote(random, theService, { action, accountId: null, subjectId: keyId }),
      issuer,
      publicUrl: settings.publicUrl,
      tokenLifetimeMs: settings.tokenLifetimeMs,
      signingKeyRotationMs: settings.signingKeyRotationMs,
      trustedIssuers: settings.trustedIssuers,
    });
    const keyMarks = createKeyMarks(secrets.keyMarks);
    const authenticator = createAuthenticator({
      findCredential: (bearer) => findCredential({ store: opened, tokens }, bearer),
      operatorKey: settings.operatorKey,
      isMarkedKey: (key) => keyMarks.isMarked(key),
      clock: storeClock,
      rememberMs: opened.sharing?.credentialMs ?? Infinity,
    });
    const rotator = createKeyRotator({
      ...{ store: opened, encryption, settings, nodeId, timers, random, metrics, logger },
      clock: storeClock,
      trouble: (error, doing) => deliveries.trouble(error, doing),
    });
    const exchanges = new PlacesInTurn({ places: 1 });
    const stopping = new AbortController();
    const operations = createOperations({
      store: opened,
      tokens,
      delivery: engine.delivery,
      secretBox,
      targetKinds,
      pageTokens: createPageTokens(secrets.pageTokens),
      clock: storeClock,
      timers,
      random,
      timeZones: new TimeZones(),
      testPlaces: new TestPlaces(),
      events: engine.events,
      reading: engine.events.reading,
      listeningPlaces: new ListeningPlaces({
        places: Math.ceil(settings.maxRequests / 2),
        onTaken: (count) => metrics.eventListeners.set(count),
      }),
      eventSender: targetKinds.eventSender,
      writeEvent,
      writeTestEvent,
      keyMarks,
      encryption: {
        keyId: () => secretBox.keyId,
        keyIdOf: (sealed) => secretBox.keyIdOf(sealed),
        makeKey: encryption.makeKey,
        noteRotation: () => rotator.noteRotation(),
        inTurn: (work) => exchanges.run("exchange", work),
      },
      cancelWaitMs: settings.cancelWaitMs,
      async credentialsChanged(accountId) {
        authenticator.forget(accountId);
        // Other nodes may have read the old credentials just before. They rely on them for this long.
        if (opened.sharing !== null) await pause(timers, opened.sharing.credentialMs + 50);
      },
      stopping: stopping.signal,
    });

    let serving = false;
    const pings = createRememberedRead({
      read: () => answersWithin(opened, timers, slowestPingMs),
      clock,
      timers,
      freshMs: pingEveryMs,
      usableMs: pingEveryMs,
      spacingMs: pingEveryMs,
    });
    const readiness = async () => {
      const storeAnswers = await pings.get();
      const reasons = serving ? [] : ["starting or stopping"];
      if (!storeAnswers) reasons.push("the store does not answer");
      return { ready: reasons.length === 0, reasons };
    };
    const metricsText = createMetricsText(metrics.registry, { clock, timers });
    const scrapes = createMetricsListener({ metricsText });
    const http = buildHttpServer({
      operations,
      authenticator,
      issuer,
      signInLink,
      takeRequests: (takes) => opened.takeRequests(takes),
      limits: settings,
      clock,
      timers,
      readHeap,
      observer: observeRequests({ metrics, logger, clock }),
      tracer: tracing?.requests ?? null,
      logger,
      random,
      version,
      answersCallers: settings.role !== "dispatch",
      hasStarted: () => started,
      readiness,
      metricsText: settings.metricsPort === null ? metricsText : null,
    });

    let metricsUrl: string | undefined;
    let generatedRootKey: string | null = null;
    const metricsPart: RunningPart = {
      async start() {
        if (settings.metricsPort === null) return;
        metricsUrl = await scrapes.listen(
          settings.metricsHost ?? settings.host,
          settings.metricsPort,
        );
      },
      stop: () => scrapes.close(),
    };
    const readyPart: RunningPart = {
      async start() {
        // Last: if the start failed after this, a generated key would exist and nobody would see it.
        generatedRootKey = await ensureRootAccess(opened, settings, { random, keyMarks });
        started = true;
        serving = true;
      },
      async stop() {
        serving = false;
      },
    };
    // Each part uses those before it, so a stop begins with the last one.
    const parts: readonly RunningPart[] = [
      openPart(async () => tracing?.close()),
      openPart(() => opened.close()),
      openPart(() => targetKinds.close()),
      createHttpPart({ http, settings, timers, stopping }),
      metricsPart,
      // After the engine has stopped, no attempt ends any more.
      activity,
      rotator,
      ...engine.parts,
      readyPart,
      new MemoryAtRest({ timers, busyShare: busyShareOfThread(), release: releaseHeap }),
    ];

    return {
      isReady: async () => (await readiness()).ready,
      async start() {
        await startInOrder(parts);
        return { url: listeningAddress(http), metricsUrl, generatedRootKey };
      },
      stop: () => stopInReverse(parts),
    };
  }
}

async function answersWithin(store: Store, timers: Timers, withinMs: number): Promise<boolean> {
  const answered = store.ping().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, pause(timers, withinMs).then(() => false)]);
}

function openTargetWith(secretBox: SecretBox, target: Target): OpenTarget {
  return {
    ...target,
    settings: openSettings(secretBox, target),
    secrets: openSecrets(secretBox, target),
  };
}
