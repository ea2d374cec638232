import { defaultAccountId } from "../../../src/domain/access.ts";
import type { Message } from "../../../src/domain/message.ts";
import type { Asked, ScheduleAsked } from "../../history/history.ts";
import type { Api } from "../../support/api.ts";
import { readMessage } from "../../support/logged-calls.ts";

export interface BatchItem {
  readonly targetId: string;
  readonly dueAt: number;
  readonly payload: string;
}

/** Schedules the messages in one call, which must succeed for each, and logs them one by one. */
export async function scheduleBatch(
  api: Api,
  writer: string,
  log: Asked[],
  items: readonly BatchItem[],
): Promise<void> {
  const askedAt = Date.now();
  const { status, body, text } = await api("POST", "/v1/messages/batch", {
    body: {
      messages: items.map(({ targetId, dueAt, payload }) => ({
        targetId,
        deliveryTime: new Date(dueAt).toISOString(),
        payload,
      })),
    },
  });
  if (status !== 200) throw new Error(`not scheduled: ${status} ${text}`);
  const call = { accountId: defaultAccountId, writer, askedAt, answeredAt: Date.now() };
  const results = body.results as readonly { readonly message?: Record<keyof Message, string> }[];
  for (const [index, { message }] of results.entries()) {
    if (message === undefined) throw new Error(`not scheduled: ${text}`);
    const answer: ScheduleAsked["answer"] = { kind: "ok", message: readMessage(message) };
    log.push({ ...call, ...items[index]!, verb: "batch item", key: null, answer });
  }
}
