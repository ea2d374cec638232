import type { Settings } from "../../config/settings.ts";
import { generatedKeyLength, signingSecretOf } from "../../domain/signing-secret.ts";
import { openService, type Service } from "../connection/service.ts";
import { paintFor } from "../terminal/colours.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { createNotices } from "../server/notices.ts";
import { runServer } from "../server/run-server.ts";
import type { RunningServer } from "../surroundings/running-server.ts";
import { startFailure } from "../failures/start-failure.ts";
import type { ServerSettings } from "../server/server-settings.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { banner } from "./banner.ts";
import { deliveryLine } from "./delivery-line.ts";
import { devTargetId, ensureDevTarget } from "./dev-target.ts";
import { dueAtOf } from "./due-at.ts";
import { keepValue, keptValue } from "./kept-value.ts";
import { startReceiver, type Receiver } from "./receiver.ts";
import { showEvents } from "./show-events.ts";

export interface DevOptions extends Omit<ServerSettings, "notices"> {
  readonly receiverPort: number;
  readonly surroundings: Surroundings;
}

const secretFile = "dev-secret";

/** Runs the service, a receiver and a target that connects them, until a signal stops all of it. */
export async function runDev({
  settings,
  identity,
  receiverPort,
  surroundings,
}: DevOptions): Promise<void> {
  const { random, stdout, clock, fetch, env, version } = surroundings;
  // Developers read this output, also through a pipe, unless they ask for JSON.
  const format = settings.logFormat === "json" ? "json" : "pretty";
  const notices = createNotices({ ...surroundings, format, identity });
  const paint = paintFor(stdout, env);
  const rootKey = settings.rootKey ?? devKey(settings, surroundings);
  const signInLink = { code: `pdl_${random.bytes(32).toString("base64url")}`, key: rootKey };
  const secret = keptValue(settings, secretFile, () =>
    signingSecretOf(random.bytes(generatedKeyLength)),
  );
  // A message from an earlier start may be delivered before the server reports its address.
  let service: Service | undefined;
  const receiver = await listen(receiverPort, () =>
    startReceiver({
      port: receiverPort,
      clock,
      secret: secret.value,
      dueAt: async (messageId) => (service === undefined ? null : dueAtOf(service, messageId)),
      onDelivery: (delivery) => void stdout.write(deliveryLine(delivery, paint)),
    }),
  );
  const leaving = new AbortController();
  let shown: Promise<void> | undefined;
  try {
    await runServer({
      settings: { ...settings, rootKey },
      identity,
      notices,
      surroundings,
      signInLink,
      async onStarted(server) {
        const advice = "Check POSTDATE_ROOT_KEY.";
        service = openService({ url: server.url, key: rootKey, advice, fetch, version });
        await prepareTarget(service);
        // Stdout is for people: it shows the deliveries.
        createNotices({ ...surroundings, format: "pretty", identity }).ready(server.url, "");
        stdout.write(bannerOf(server));
        shown = showWhatHappens(service);
      },
    });
  } finally {
    leaving.abort();
    await shown;
    await receiver.close();
  }

  async function showWhatHappens(of: Service): Promise<void> {
    try {
      await showEvents({
        service: of,
        signal: leaving.signal,
        look: () => ({ paint, now: clock.now(), columns: null }),
        write: (line) => void stdout.write(line),
      });
    } catch (error) {
      if (leaving.signal.aborted || !(error instanceof Error)) return;
      notices.warning(`Events are not shown: ${error.message}`);
    }
  }

  async function prepareTarget(to: Service): Promise<void> {
    const target = await ensureDevTarget({
      service: to,
      url: `${receiver.url}/`,
      secret: secret.value,
      isNewSecret: !secret.isOld,
      warn: (line) => notices.warning(line),
    });
    if (target.secret !== undefined && target.secret !== secret.value) {
      receiver.useSecret(target.secret);
      keepValue(settings, secretFile, target.secret);
    }
    if (target.paused) {
      notices.warning(
        `The target "${devTargetId}" is paused; npx postdate target resume ${devTargetId} resumes it.`,
      );
    }
  }

  function bannerOf({ url }: RunningServer): string {
    const { dataDir } = settings;
    const signInCode = signInLink.code;
    return banner({ url, receiverUrl: receiver.url, dataDir, rootKey, signInCode, paint });
  }
}

/** The key stays the same between starts, so that an exported variable stays valid. */
function devKey(settings: Settings, { random }: Surroundings): string {
  const { value } = keptValue(
    settings,
    "dev-key",
    () => `pd_${random.bytes(24).toString("base64url")}`,
  );
  if (/^pd_[A-Za-z0-9_-]{16,128}$/.test(value)) return value;
  throw new CommandFailed(
    exitCodes.refused,
    `The file dev-key in ${settings.dataDir} does not hold a key: remove it to get a new one.`,
  );
}

async function listen(port: number, start: () => Promise<Receiver>): Promise<Receiver> {
  try {
    return await start();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
      throw new CommandFailed(
        exitCodes.refused,
        `Port ${port} for the receiver is in use. Stop what listens there, or choose another with --receiver-port.`,
      );
    }
    throw new CommandFailed(
      exitCodes.refused,
      startFailure(error, { host: "127.0.0.1", port, dataDir: "" }),
    );
  }
}
