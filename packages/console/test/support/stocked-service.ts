import { Postdate } from "@postdate/client";
import { vi } from "vitest";
import { startReceiver, type Receiver } from "../../../server/test/support/receiver.ts";
import {
  makeDataDir,
  operatorKey,
  rootKey,
  startServerProcess,
} from "../../../server/test/support/server-process.ts";

/** What nobody should believe: it looks like HTML, turns the direction of writing and colours terminals. */
const hostile = "<img src=x onerror=\"document.title='broken'\">\u202e\u001b[31m";
const payload = `{"id":12345678901234567890,"text":"<script>document.title='broken'</script>"}`;

/** What there is to look at. */
interface Stock {
  /** A message that its target refused, with a hostile label, payload and answer. */
  readonly deadId: string;
  /** A message that is due in an hour. */
  readonly waitingId: string;
  /** A job that has ended. */
  readonly jobId: string;
}

/** A real server with some of everything that the console shows. */
export interface StockedService extends Stock, AsyncDisposable {
  readonly url: string;
  readonly postdate: Postdate;
}

/** Without `databaseUrl` it keeps its data in files. */
export async function startStockedService(databaseUrl?: string): Promise<StockedService> {
  const dataDir = await makeDataDir();
  const [server, receiver] = await Promise.all([
    startServerProcess({
      dataDir: dataDir.path,
      args: databaseUrl === undefined ? [] : ["--database-url", databaseUrl],
      env: { POSTDATE_OPERATOR_KEY: operatorKey, POSTDATE_ENCRYPTION_KEY: "ab".repeat(32) },
    }),
    startReceiver(),
  ]);
  const postdate = new Postdate({ url: server.url, key: rootKey });
  return {
    url: server.url,
    postdate,
    ...(await stock(postdate, receiver)),
    async [Symbol.asyncDispose]() {
      await server.stop();
      await receiver.close();
      await dataDir[Symbol.asyncDispose]();
    },
  };
}

/** The target `mail` refuses everything, `billing` takes it, and `crm` is paused. */
async function stock(postdate: Postdate, receiver: Receiver): Promise<Stock> {
  receiver.answerWith(({ path }, response) =>
    path === "/mail" ? response.writeHead(503).end(hostile) : response.writeHead(204).end(),
  );
  const { targets, messages, schedules, jobs } = postdate;
  const retryPolicy = { maxAttempts: 1 };
  await targets.create({ targetId: "mail", url: `${receiver.url}/mail`, retryPolicy });
  await targets.create({ targetId: "billing", url: `${receiver.url}/billing` });
  await targets.create({ targetId: "crm", url: `${receiver.url}/crm`, paused: true });
  const labels = { who: "<b onclick=x>\u202e</b>" };
  const dead = await messages.schedule({ targetId: "mail", in: 0, payload, labels });
  const later = { targetId: "mail", in: { hours: 1 }, payload: "later" };
  const { messageId: waitingId } = await messages.schedule(later);
  await schedules.create({
    scheduleId: "digest",
    targetId: "billing",
    cron: ["0 9 * * MON-FRI", "0 11 * * SAT"],
    timeZone: "Europe/Berlin",
    payload: "your digest",
  });
  await schedules.trigger("digest");
  const gone = { targetId: "crm", in: { days: 2 }, payload: "x", labels: { gone: "yes" } };
  await messages.schedule(gone);
  const filter = { targetId: "crm", labels: gone.labels };
  const { jobId } = await jobs.create({ action: "cancel", filter, note: hostile.slice(0, 20) });
  await jobs.wait(jobId);
  await postdate.keys.create({ name: "<i>till</i>", scopes: ["scheduler.messages.read"] });
  await postdate.clients.create({ name: "shop", scopes: ["scheduler.messages.readwrite"] });
  await vi.waitUntil(async () => (await messages.get(dead.messageId))!.state === "DEAD_LETTER", {
    timeout: 60_000,
  });
  return { deadId: dead.messageId, waitingId, jobId };
}
