import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "../../support/api.ts";
import { inMs } from "../../support/api.ts";
import { operatorKey } from "../../support/server-process.ts";
import { startReceiver } from "../../support/receiver.ts";
import type { Receiver } from "../../support/receiver.ts";

export interface CrowdingAccount {
  readonly hanging: Receiver;
  /** Resumes the targets. Resolves once each has had an attempt. */
  letGo(): Promise<void>;
}

const targets = 50;
/** Each target alone could use the whole capacity. */
const maxConcurrency = 1_000;
const messagesOfEach = 1_000;
const timeoutMs = 15_000;
/** Long enough for each attempt to time out and begin again. */
export const crowdedMs = 2 * timeoutMs;

/**
 * A separate account with dozens of targets that accept everything and never answer. Each has a thousand
 * due messages. The targets are paused until everything is scheduled, and then resumed together.
 */
export async function prepareCrowdingAccount(api: Api): Promise<CrowdingAccount> {
  const hanging = await startReceiver();
  hanging.answerWith(() => {});
  const made = await api("POST", "/v1/accounts", { key: operatorKey, body: {} });
  if (made.status !== 200) throw new Error(`no account: ${made.status} ${made.text}`);
  const { key } = made.body as { readonly key: string };
  const ask = async (path: string, body: unknown): Promise<void> => {
    for (;;) {
      const { status, headers, text } = await api("POST", path, { key, body });
      if (status === 200) return;
      if (status !== 503) throw new Error(`${path}: ${status} ${text}`);
      // The call had no effect, because a busy machine sheds load.
      await sleep(Number(headers.get("retry-after") ?? 1) * 1_000);
    }
  };
  for (let target = 0; target < targets; target++) {
    const targetId = `hanging-${target}`;
    await ask("/v1/targets", { targetId, url: hanging.url, timeoutMs, maxConcurrency });
    await ask(`/v1/targets/${targetId}/pause`, undefined);
    const messages = Array.from({ length: messagesOfEach }, (_, index) => ({
      targetId,
      deliveryTime: inMs(-index),
      payload: "x",
    }));
    await ask("/v1/messages/batch", { messages });
  }
  const resume = (_: unknown, target: number): Promise<void> =>
    ask(`/v1/targets/hanging-${target}/resume`, undefined);
  return {
    hanging,
    async letGo() {
      await Promise.all(Array.from({ length: targets }, resume));
      await hanging.received(targets);
    },
  };
}
