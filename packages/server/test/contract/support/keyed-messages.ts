import type { ApiAnswer, CallOptions } from "../../support/api.ts";
import { farAway } from "../../support/shared-service.ts";
import type { ScriptedTarget, SharedService } from "../../support/shared-service.ts";

export type Message = ApiAnswer["body"];

export const due = "2020-01-01T00:00:00.000Z";
export const sooner = "2998-01-01T00:00:00.000Z";
export const quiet = { onConflict: "debounce", debounce: { quietMs: 3_600_000 } };

/** Each mode that puts a new message in the place of the one that has the key. */
export const replacing = ["replace", "replaceKeepTime", "debounce"] as const;

/** The fields of a request with this mode. A debounced one has no time of its own. */
export function inMode(mode: string): object {
  return mode === "debounce" ? quiet : { onConflict: mode, deliveryTime: farAway };
}

/** Calls about the messages of one target that have keys. */
export function keyedMessages(service: SharedService, { targetId }: ScriptedTarget) {
  const pathOf = (key: string, action = ""): string =>
    `/v1/targets/${targetId}/keys/${encodeURIComponent(key)}${action}`;
  const bodyOf = (fields: object): object => ({
    targetId,
    ...("debounce" in fields ? {} : { deliveryTime: farAway }),
    payload: "first",
    key: "k",
    ...fields,
  });
  const schedule = (fields: object = {}, call: Omit<CallOptions, "body"> = {}) =>
    service.api("POST", "/v1/messages", { ...call, body: bodyOf(fields) });

  return {
    schedule,
    /** As `schedule`, and it must succeed. Returns the Message. */
    async scheduled(fields: object = {}): Promise<Message> {
      const answer = await schedule(fields);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      return answer.body;
    },
    batch: (items: readonly object[], call: Omit<CallOptions, "body"> = {}) =>
      service.api("POST", "/v1/messages/batch", {
        ...call,
        body: { messages: items.map(bodyOf) },
      }),
    get: (messageId: string): Promise<Message> => service.ok("GET", `/v1/messages/${messageId}`),
    payload: async (messageId: string): Promise<string> =>
      (await service.ok("GET", `/v1/messages/${messageId}/payload`)).payload,
    reschedule: (messageId: string, body: object = { deliveryTime: farAway }) =>
      service.api("POST", `/v1/messages/${messageId}/reschedule`, { body }),
    cancel: (messageId: string): Promise<Message> =>
      service.ok("POST", `/v1/messages/${messageId}/cancel`),
    find: (key: string) => service.api("GET", pathOf(key)),
    cancelByKey: (key: string) => service.api("POST", pathOf(key, "/cancel")),
    rescheduleByKey: (key: string, body: object = { deliveryTime: farAway }) =>
      service.api("POST", pathOf(key, "/reschedule"), { body }),
    async pending(): Promise<Message[]> {
      const path = `/v1/targets/${targetId}/scheduled-messages?limit=100`;
      return (await service.ok("GET", path)).items;
    },
  };
}

export function outcomeOf({ status, headers, text }: ApiAnswer): string | null {
  if (status !== 200) throw new Error(`${status} ${text}`);
  return headers.get("postdate-key-outcome");
}
