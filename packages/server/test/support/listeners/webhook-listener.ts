import { setTimeout as sleep } from "node:timers/promises";
import type { EventArrival } from "../../history/events/told-events.ts";
import type { Chance } from "../../history/support/chance.ts";
import { startReceiver } from "../receiver.ts";

type OpenArrival = { -readonly [Field in keyof EventArrival]: EventArrival[Field] };

const slowMs = 200;
const patienceMs = 60_000;

/** Takes the events of a webhook. Until the end some requests fail, some hang, and some answers are lost. */
export async function startWebhookListener(endpointId: string, chance: Chance) {
  const receiver = await startReceiver();
  const arrivals: OpenArrival[] = [];
  const taken = new Set<string>();
  let isEnding = false;
  let isPaused = false;
  receiver.answerWith(({ body }, response) => {
    if (isPaused) {
      response.writeHead(503).end();
      return;
    }
    const told = JSON.parse(body.toString());
    const eventIds = [told].flat().map(({ id }: { id: string }) => id);
    const startedAt = performance.now();
    const arrival: OpenArrival = {
      ...{ endpointId, nodeId: null, eventIds, startedAt },
      ...{ takenAt: null, endedAt: Infinity },
    };
    arrivals.push(arrival);
    response.once("close", () => (arrival.endedAt = performance.now()));
    const take = (): void => {
      arrival.takenAt = performance.now();
      for (const eventId of eventIds) taken.add(eventId);
    };
    const accept = (): void => {
      take();
      response.writeHead(204).end();
    };
    const chosen = isEnding ? 1 : chance.fraction();
    if (chosen < 0.05) response.writeHead(500).end();
    else if (chosen < 0.1) {
      take();
      response.destroy();
    } else if (chosen < 0.2) setTimeout(accept, slowMs);
    else accept();
  });
  return {
    url: receiver.url,
    arrivals: arrivals as readonly EventArrival[],
    /** Until it is resumed it takes nothing, and what it is sent does not count. */
    pause: () => void (isPaused = true),
    resume: () => void (isPaused = false),
    /** Resolves when all of these were taken, or should have been. */
    async whenTaken(eventIds: readonly string[]): Promise<void> {
      isEnding = true;
      const deadline = Date.now() + patienceMs;
      while (Date.now() < deadline && !eventIds.every((eventId) => taken.has(eventId))) {
        await sleep(50);
      }
    },
    [Symbol.asyncDispose]: () => receiver.close(),
  };
}
