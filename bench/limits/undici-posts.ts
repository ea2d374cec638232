import { Pool } from "undici";
import type { Dispatcher } from "undici";
import { answerCalls } from "../processes/answer-calls.ts";
import { payloadOf } from "../processes/requests.ts";

/**
 * The limit of delivering: undici posts payloads with its cheapest call. Nothing is claimed, signed or
 * recorded.
 */
const calls = {
  async postsPerSecond({
    url,
    count,
    connections,
  }: {
    readonly url: string;
    readonly count: number;
    readonly connections: number;
  }): Promise<number> {
    const pool = new Pool(url, { connections, pipelining: 1 });
    const body = payloadOf(0, Date.now());
    const from = performance.now();
    await new Promise<void>((resolve, reject) => {
      let started = 0;
      let ended = 0;
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseData() {},
        onResponseStart(_controller, status) {
          if (status !== 204) reject(new Error(`answered with ${status}`));
        },
        onResponseEnd() {
          if (++ended === count) resolve();
          else if (started < count) post();
        },
        onResponseError: (_controller, error) => reject(error),
      };
      const post = (): void => {
        started += 1;
        pool.dispatch({ path: "/limit/", method: "POST", headers, body }, handler);
      };
      while (started < Math.min(connections, count)) post();
    });
    const tookMs = performance.now() - from;
    await pool.close();
    return (count * 1_000) / tookMs;
  },
};
export type UndiciLimitCalls = typeof calls;
answerCalls(calls);

const headers = ["content-type", "text/plain; charset=utf-8"];
