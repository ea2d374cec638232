import type { RunningServer } from "../cli/running-server.ts";
import type { Settings } from "../config/settings.ts";
import { settingsSummary } from "../config/settings-summary.ts";
import { createLogger } from "../platform/logger.ts";
import { compose } from "./compose.ts";
import { listeningAddress } from "./listening-address.ts";

/** Starts everything, listens, and says how to stop it again. */
export async function startServer(settings: Settings): Promise<RunningServer> {
  const logger = createLogger({
    level: settings.logLevel,
    format: settings.logFormat,
    stream: process.stderr,
  });
  logger.info(settingsSummary(settings), "starting");

  const ended = Promise.withResolvers<void>();
  // Whoever does not wait for the end must not be killed by it.
  ended.promise.catch(() => {});
  const service = await compose(settings, logger, (error) => {
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
  logger.info({ url }, "ready");

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
