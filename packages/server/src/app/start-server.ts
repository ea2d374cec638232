import type { RunningServer } from "../cli/surroundings/running-server.ts";
import type { Settings } from "../config/settings.ts";
import { settingsSummary } from "../config/settings-summary.ts";
import { systemClock } from "../platform/clock.ts";
import { createLogger } from "../platform/logger.ts";
import type { ProcessIdentity } from "../platform/process-identity.ts";
import { keepTickShape } from "../platform/tick-shape.ts";
import { systemTimers } from "../platform/timers.ts";
import type { ComposeOptions, Service } from "./compose.ts";
import { createMetrics } from "./observability/metrics.ts";
import { openStore } from "./open-store.ts";
import { createPendingCount } from "./observability/pending-count.ts";
import { startLevel } from "./observability/start-level.ts";

/** Starts everything, listens, and returns how to stop it. */
export async function startServer(
  settings: Settings,
  identity: ProcessIdentity,
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
  const service = await openService(
    { settings, logger, nodeId: identity.node, startLevel: level },
    (error) => {
      logger.fatal({ err: error }, "the store has failed; restart to recover");
      ended.reject(error);
    },
  );

  const { url, metricsUrl, generatedRootKey } = await service.start();
  logger[level]({ url, metricsUrl }, "ready");

  let stopping: Promise<void> | undefined;
  return {
    url,
    generatedRootKey,
    stopped: ended.promise,
    stop() {
      stopping ??= service.stop().then(() => {
        logger.info("stopped");
        ended.resolve();
      });
      return stopping;
    },
  };
}

/** Opens the store, on its own thread or over the network, while everything else is still loading. */
async function openService(
  parts: Omit<ComposeOptions, "store" | "metrics">,
  onFatal: (error: Error) => void,
): Promise<Service> {
  const readPending = createPendingCount({
    count: async () => (await (await opening).counts()).pending,
    clock: systemClock,
    timers: systemTimers,
  });
  const metrics = createMetrics(readPending);
  const opening = openStore({
    settings: parts.settings,
    onBatch: (size) => metrics.commitBatch.observe(size),
    onFatal,
  });
  const [store, { compose }] = await Promise.all([opening, import("./compose.ts")]);
  return compose({ ...parts, store, metrics });
}
