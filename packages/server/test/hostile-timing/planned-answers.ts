import type { ServerResponse } from "node:http";
import type { Receipt, Receiver } from "../support/receiver.ts";
import { chanceOf } from "./seeded-chance.ts";

/** How long a target waits for a caller to ask for a change before it answers by itself. */
const patienceMs = 3_000;

/** The target accepts a message after this many failures, so that a run ends. */
const mostFailures = 4;

interface Open {
  readonly respond: (afterMs: number) => void;
}

/**
 * Decides how the targets answer, from the seed, the message's key and the attempt's number. The first
 * attempt of an `awaited` message stays open until the caller says when to answer it.
 */
export class PlannedAnswers {
  readonly #seed: string;
  readonly #open = new Map<string, Open>();
  readonly #arrivals = new Map<string, () => void>();

  constructor(seed: string, receiver: Receiver) {
    this.#seed = seed;
    receiver.answerWith((receipt, response) => this.#answer(receipt, response));
  }

  /** Resolves when the first attempt has reached its target, or when the time for it is over. */
  async arrived(key: string): Promise<void> {
    const arrival = Promise.withResolvers<void>();
    const giveUp = setTimeout(arrival.resolve, patienceMs);
    if (this.#open.has(key)) arrival.resolve();
    this.#arrivals.set(key, arrival.resolve);
    await arrival.promise;
    clearTimeout(giveUp);
    this.#arrivals.delete(key);
  }

  /** Answers the open attempt after this time. */
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
