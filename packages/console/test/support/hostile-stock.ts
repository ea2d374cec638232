import type { Postdate } from "@postdate/client";
import { vi } from "vitest";
import { startReceiver } from "../../../server/test/support/receiver.ts";

const markup = `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;
/** A name holds no control characters. It may change the direction of writing, and hide characters. */
const hostileName = `${markup.slice(0, 50)}\u202Egpj.exe\u2066\u200B`;
/** A line of 60,000 characters, with what colours and rings terminals. */
const hostileText = `${markup}\u202E\u001B[31m\u0007\u009B31m\u2028`.padEnd(60_000, "W");
/** What a header name may be made of. */
const hostileHeader = "x-'`|onerror";

interface HostileStock extends AsyncDisposable {
  readonly deadId: string;
  readonly waitingId: string;
  readonly jobId: string;
}

/** Gives the service everything that others can write, as nasty as it is accepted. */
export async function addHostileStock(postdate: Postdate): Promise<HostileStock> {
  const receiver = await startReceiver();
  receiver.answerWith((_, response) => response.writeHead(500).end(hostileText));
  const targetId = "hostile";
  const contentType = `text/plain; note="<script>${"b".repeat(60)}"`;
  await postdate.targets.create({
    targetId,
    url: `${receiver.url}/?q=<script>${"a".repeat(500)}`,
    headers: { [hostileHeader]: "secret" },
    contentType,
    retryPolicy: { maxAttempts: 1 },
  });
  const labels = { who: hostileName, long: "L".repeat(100) };
  const message = {
    ...{ targetId, payload: hostileText, labels, contentType },
    key: `${hostileName}${"K".repeat(120)}`,
    headers: { [hostileHeader]: "secret" },
  };
  const { messageId: deadId } = await postdate.messages.schedule({ ...message, in: 0 });
  await vi.waitUntil(async () => (await postdate.messages.get(deadId))!.state === "DEAD_LETTER", {
    timeout: 60_000,
  });
  await postdate.schedules.create({
    ...{ scheduleId: targetId, targetId, cron: "0 9 * * *", payload: hostileText },
    message: { labels, contentType },
  });
  const { jobId } = await postdate.jobs.create({
    ...{ action: "cancel", filter: { targetId, labels }, note: hostileName },
  });
  await postdate.jobs.wait(jobId);
  const { messageId: waitingId } = await postdate.messages.schedule({
    ...message,
    in: { hours: 1 },
  });
  await postdate.keys.create({ name: hostileName, scopes: ["scheduler.messages.read"] });
  await postdate.clients.create({ name: hostileName, scopes: ["scheduler.messages.read"] });
  return { deadId, waitingId, jobId, [Symbol.asyncDispose]: () => receiver.close() };
}
