import type { ServerResponse } from "node:http";
import type { Received, Script } from "./scripted-server.ts";
import { answer, hangUp, messageOf, refusal } from "./scripted-server.ts";

/** What happens to a request. `lostAnswer`: it takes effect, and the connection breaks. */
export type Fate = "answered" | "lost" | "lostAnswer" | "overloaded" | "limited";

interface Item {
  readonly payload: string;
  readonly idempotencyKey?: string;
}

interface Kept {
  readonly payload: string;
  readonly result: object;
}

/**
 * Schedules as the service does, in memory: each key once, alone or in a batch. A payload that begins
 * with `bad` is refused. The id of a message tells its payload.
 */
export class ModelService {
  readonly #byKey = new Map<string, Kept>();
  readonly #fates: Fate[];
  readonly #mostItems: number;
  /** The payloads that were scheduled, each time that one was. */
  readonly scheduled: string[] = [];
  /** How many messages each request had. */
  readonly sizes: number[] = [];

  constructor(fates: readonly Fate[] = [], mostItems = 1_000) {
    this.#fates = [...fates];
    this.#mostItems = mostItems;
  }

  readonly script: Script = (request, response) => {
    const fate = this.#fates.shift() ?? "answered";
    if (fate === "lost") return hangUp(request, response);
    if (fate === "overloaded") return refusal(503, "E-DI-9002")(request, response);
    if (fate === "limited") return refusal(429, "E-DI-2003")(request, response);
    const reply = this.#take(request);
    if (fate === "lostAnswer") return hangUp(request, response);
    return reply(request, response);
  };

  #take({
    path,
    json,
    headers,
  }: Received): (request: Received, response: ServerResponse) => unknown {
    if (path === "/v1/messages") {
      this.sizes.push(1);
      const result = this.#schedule({ ...json, idempotencyKey: headers["idempotency-key"] });
      if ("message" in result) return answer(200, result.message);
      return answer(400, result);
    }
    const items = json.messages as Item[];
    this.sizes.push(items.length);
    if (items.length > this.#mostItems) return refusal(413, "E-DI-1003");
    return answer(200, { results: items.map((item) => this.#schedule(item)) });
  }

  #schedule({ payload, idempotencyKey }: Item): object {
    if (idempotencyKey === undefined) throw new Error("the client sent no idempotency key");
    const before = this.#byKey.get(idempotencyKey);
    if (before !== undefined) {
      if (before.payload === payload) return before.result;
      return { errors: [{ code: "E-DI-5007", message: "The key was used before." }] };
    }
    if (payload.startsWith("bad")) {
      return { errors: [{ code: "E-DI-3001", message: `No target for ${payload}.` }] };
    }
    const result = { message: messageOf(`msg of ${payload}`) };
    this.#byKey.set(idempotencyKey, { payload, result });
    this.scheduled.push(payload);
    return result;
  }
}
