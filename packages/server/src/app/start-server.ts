import type { RunningServer } from "../cli/surroundings/running-server.ts";
import type { Settings } from "../config/settings.ts";
import { settingsSummary } from "../config/settings-summary.ts";
import type { SignInLink } from "../domain/session.ts";
import { systemClock } from "../platform/clock.ts";
import { createLogger } from "../platform/logger.ts";
import type { ProcessIdentity } from "../platform/process-identity.ts";
import { keepTickShape } from "../platform/tick-shape.ts";
import { systemTimers } from "../platform/timers.ts";
import type { Store } from "../storage/store.ts";
import type { ComposeOptions, Service } from "./compose.ts";
import { createMetrics } from "./observability/metrics.ts";
import { openStore } from "./open-store.ts";
import { countWaiting } from "./observability/count-waiting.ts";
import { createRecentCounts } from "./observability/recent-counts.ts";
import type { Tracing } from "./observability/tracing/open-tracing.ts";
import { startLevel } from "./observability/start-level.ts";
import { version } from "./version.ts";

/** Starts everything, listens, and returns how to stop it. */
export async function startServer(
  settings: Settings,
  identity: ProcessIdentity,
  signInLink: SignInLink | null = null,
): Promise<RunningServer> {
  keepTickShape();
  const logger = createLogger({
    level: settings.logLevel,
    format: settings.logFormat,
    stream: process.stderr,
    identity,
  });
  const level = startLevel(settings, process.stderr);
  logger[level](settingsSummary(settings), "starting");

  const ended = Promise.withResolvers<void>();
  // If the caller does not await the end, its rejection must not kill the process.
  ended.promise.catch(() => {});
  const parts = { settings, logger, identity, signInLink, startLevel: level } as const;
  const service = await openService(parts, (error) => {
    logger.tellRepeated();
    logger.fatal({ err: error }, "the store has failed; restart to recover");
    ended.reject(error);
  });

  const { url, metricsUrl, generatedRootKey } = await service.start();
  logger[level]({ url, metricsUrl }, "ready");

  let stopping: Promise<void> | undefined;
  return {
    url,
    generatedRootKey,
    stopped: ended.promise,
    stop() {
      stopping ??= service.stop().then(() => {
        logger.tellRepeated();
        logger.info("stopped");
        ended.resolve();
      });
      return stopping;
    },
  };
}

interface StartParts extends Pick<
  ComposeOptions,
  "settings" | "logger" | "startLevel" | "signInLink"
> {
  readonly identity: ProcessIdentity;
}

/** Opens the store, on its own thread or over the network, while everything else is still loading. */
async function openService(parts: StartParts, onFatal: (error: Error) => void): Promise<Service> {
  const timing = { clock: systemClock, timers: systemTimers };
  let opened: Store | undefined;
  let service: Service | undefined;
  const metrics = createMetrics({
    version,
    clock: systemClock,
    slots: parts.settings.maxInFlight,
    metricsPerTarget: parts.settings.metricsPerTarget,
    isReady: async () => service !== undefined && (await service.isReady()),
    readCounts: createRecentCounts({
      count: async (knowPending) => countWaiting({ store: await opening, ...timing, knowPending }),
      ...timing,
    }),
    waitingCalls: () => opened?.waitingCalls() ?? 0,
  });
  const opening = openStore({
    settings: parts.settings,
    onBatch: (size) => metrics.commitBatch.observe(size),
    onFatal,
  });
  const [store, { compose }, tracing] = await Promise.all([
    opening,
    import("./compose.ts"),
    tracingOf(parts),
  ]);
  opened = store;
  service = await compose({ ...parts, nodeId: parts.identity.node, store, metrics, tracing });
  return service;
}

/** Loads the tracing libraries only if there is somewhere to send spans to. */
async function tracingOf({ settings, identity, logger }: StartParts): Promise<Tracing | null> {
  const { otlpEndpoint: endpoint } = settings;
  if (endpoint === null) return null;
  const { openTracing } = await import("./observability/tracing/open-tracing.ts");
  return openTracing({ endpoint, settings, identity, logger, timers: systemTimers });
}
