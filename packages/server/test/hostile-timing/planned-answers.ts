import type { ServerResponse } from "node:http";
import type { Receipt, Receiver } from "../support/receiver.ts";
import { chanceOf } from "./seeded-chance.ts";

/** How long a target waits for a change to be asked before it answers as it pleases. */
const patienceMs = 3_000;

/** After these a message is taken, so that a run comes to its end. */
const mostFailures = 4;

interface Open {
  readonly respond: (afterMs: number) => void;
}

/**
 * How the targets answer: by the seed, the message's key and the attempt's number. The first attempt of a
 * message that is `awaited` stays open until the caller says when it shall be answered.
 */
export class PlannedAnswers {
  readonly #seed: string;
  readonly #open = new Map<string, Open>();
  readonly #arrivals = new Map<string, () => void>();

  constructor(seed: string, receiver: Receiver) {
    this.#seed = seed;
    receiver.answerWith((receipt, response) => this.#answer(receipt, response));
  }

  /** Resolves when the first attempt has reached its target, or did not in time. */
  async arrived(key: string): Promise<void> {
    const arrival = Promise.withResolvers<void>();
    const giveUp = setTimeout(arrival.resolve, patienceMs);
    if (this.#open.has(key)) arrival.resolve();
    this.#arrivals.set(key, arrival.resolve);
    await arrival.promise;
    clearTimeout(giveUp);
    this.#arrivals.delete(key);
  }

  /** The open attempt is answered so long from now. */
  answer(key: string, afterMs: number): void {
    this.#open.get(key)?.respond(afterMs);
    this.#open.delete(key);
  }

  #answer({ body, attempt }: Receipt, response: ServerResponse): void {
    const key = body.toString();
    const chance = chanceOf(this.#seed, "answer", key, attempt);
    const isAwaited = key.startsWith("awaited");
    const isFirst = isAwaited && attempt === 1;
    const failing = isFirst ? 0.9 : attempt <= mostFailures ? 0.7 : 0;
    const status = chance.happens(failing) ? 500 : 204;
    const respond = (afterMs: number): void =>
      void setTimeout(() => response.writeHead(status).end(), Math.max(0, afterMs));
    if (!isFirst) {
      respond(chance.happens(isAwaited ? 0.9 : 0.2) ? 0 : chance.between(400, 2_000));
      return;
    }
    const giveUp = setTimeout(() => this.answer(key, 0), patienceMs);
    this.#open.set(key, {
      respond(afterMs) {
        clearTimeout(giveUp);
        respond(afterMs);
      },
    });
    this.#arrivals.get(key)?.();
  }
}
