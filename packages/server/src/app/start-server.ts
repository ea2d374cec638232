import type { RunningServer } from "../cli/running-server.ts";
import type { Settings } from "../config/settings.ts";
import { settingsSummary } from "../config/settings-summary.ts";
import { createLogger } from "../platform/logger.ts";
import type { Logger } from "../platform/logger.ts";
import { keepTickShape } from "../platform/tick-shape.ts";
import type { Service } from "./compose.ts";
import { listeningAddress } from "./listening-address.ts";
import { createMetrics } from "./metrics.ts";
import { openStore } from "./open-store.ts";
import { startLevel } from "./start-level.ts";

/** Starts everything, listens, and says how to stop it again. */
export async function startServer(settings: Settings): Promise<RunningServer> {
  keepTickShape();
  const logger = createLogger({
    level: settings.logLevel,
    format: settings.logFormat,
    stream: process.stderr,
  });
  const level = startLevel(settings, process.stderr);
  logger[level](settingsSummary(settings), "starting");

  const ended = Promise.withResolvers<void>();
  // Whoever does not wait for the end must not be killed by it.
  ended.promise.catch(() => {});
  const service = await openService(settings, logger, (error) => {
    logger.fatal({ err: error }, "the store has failed; restart to recover");
    ended.reject(error);
  });

  let generatedRootKey: string | null;
  try {
    await service.http.listen({ host: settings.host, port: settings.port });
    generatedRootKey = await service.start();
  } catch (error) {
    await service.stop();
    throw error;
  }

  const url = listeningAddress(service.http);
  logger[level]({ url }, "ready");

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

/** The store opens, on its own thread or across the network, while everything else is still loading. */
async function openService(
  settings: Settings,
  logger: Logger,
  onFatal: (error: Error) => void,
): Promise<Service> {
  const metrics = createMetrics(async () => (await (await opening).counts()).pending);
  const opening = openStore({
    settings,
    onBatch: (size) => metrics.commitBatch.observe(size),
    onFatal,
  });
  const [store, { compose }] = await Promise.all([opening, import("./compose.ts")]);
  return compose({ settings, store, metrics, logger });
}
