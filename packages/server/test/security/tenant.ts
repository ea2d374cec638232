import { vi } from "vitest";
import { apiOf } from "../support/api.ts";
import type { Api, ApiAnswer } from "../support/api.ts";
import { farAway, patiently } from "../support/shared-service.ts";
import type { Subject } from "./subject.ts";

/** An account with one item of every kind, including a target `shared` that every tenant has. */
export interface Tenant {
  readonly api: Api;
  readonly key: string;
  /** The id of one item of each kind, by its parameter name in the routes. */
  readonly ids: Readonly<Record<string, string>>;
  /** The ids of its first messages for `shared`. */
  readonly scheduledIds: readonly string[];
  readonly deadLetterIds: readonly string[];
  /** Texts that must appear only in this account. */
  readonly marks: readonly string[];
  /** The path at the receiver that its targets use. */
  readonly path: string;
  /** Every answer that shows the account's state. */
  everything(): Promise<string[]>;
  /** Sends a message for `shared`, due at once. */
  send(payload: string): Promise<ApiAnswer["body"]>;
}

export async function createTenant(subject: Subject, name: string): Promise<Tenant> {
  const { service } = subject;
  const accountId = `tenant-${name}`;
  const { key } = await subject.account({ accountId, name: `account of ${name}` });
  const api = apiOf(service.server.url, key);
  const ok = async (method: string, path: string, body?: object): Promise<ApiAnswer["body"]> => {
    const answer = await api(method, path, body === undefined ? {} : { body });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  const schedule = async (targetId: string, deliveryTime: string, payload: string) =>
    ok("POST", "/v1/messages", {
      targetId,
      deliveryTime,
      payload,
      labels: { owner: `label of ${name}` },
    });

  const path = `/${accountId}`;
  const url = service.receiver.url + path;
  const targetId = `only-${name}`;
  // Nothing listens there, so each due message becomes a dead letter.
  const nowhere = { url: "http://127.0.0.1:1/", retryPolicy: { maxAttempts: 1 } };
  const makeDeadLetters = async (of: string, payloads: readonly string[]): Promise<string[]> => {
    await ok("POST", "/v1/targets", { targetId: of, ...nowhere });
    const ids: string[] = [];
    for (const payload of payloads) {
      const made = await schedule(of, "2020-01-01T00:00:00Z", `${payload} of ${name}`);
      ids.push(made.messageId);
    }
    await vi.waitFor(async () => {
      const { count } = await ok("GET", `/v1/targets/${of}/dead-letters`);
      if (count !== ids.length) throw new Error("not yet dead");
    }, patiently);
    return ids;
  };
  const deadLetterIds = await makeDeadLetters("shared", ["dead 1", "dead 2"]);
  const others = await makeDeadLetters(targetId, ["dead 3"]);
  const headers = { "x-mark": `header of ${name}` };
  await ok("PATCH", "/v1/targets/shared", { url, headers });
  await ok("PATCH", `/v1/targets/${targetId}`, { url: `${url}/only`, headers });

  const scheduledIds: string[] = [];
  for (const payload of ["later 1", "later 2"]) {
    scheduledIds.push((await schedule("shared", farAway, `${payload} of ${name}`)).messageId);
  }
  const { messageId } = await schedule(targetId, farAway, `payload of ${name}`);
  const keyOfMessage = `digest-of-${name}`;
  const keyed = await ok("POST", "/v1/messages", {
    ...{ targetId, deliveryTime: farAway, payload: `digest of ${name}`, key: keyOfMessage },
  });
  const scopes = ["scheduler.all.read"];
  const { keyId } = await ok("POST", "/v1/keys", { name: `key of ${name}`, scopes });
  const { clientId } = await ok("POST", "/v1/clients", { name: `client of ${name}`, scopes });

  // Two, so that their list has a next page. Nobody has this label, so they change nothing.
  const nothing = { filter: { targetId, labels: { owner: "nobody" } }, note: `note of ${name}` };
  const { jobId: firstJobId } = await endedJob(api, { action: "cancel", ...nothing });
  const { jobId } = await endedJob(api, { action: "redrive", ...nothing });

  // Their target is paused, so that what they make stays as it is. Two of each kind, so that lists have a next page.
  const recurringTarget = `recurring-${name}`;
  await ok("POST", "/v1/targets", { targetId: recurringTarget, url, paused: true });
  const scheduleId = `schedule-of-${name}`;
  const runs: string[] = [];
  for (const id of [scheduleId, "shared"]) {
    const made = await api("PUT", `/v1/schedules/${id}`, {
      body: {
        ...{ targetId: recurringTarget, payload: `recurring of ${name}` },
        ...{ everyMs: 86_400_000, startTime: farAway },
        message: { labels: { owner: `label of ${name}` }, headers },
      },
    });
    if (made.status !== 201) throw new Error(made.text);
    for (let count = 0; count < 2; count++) {
      const { body } = await api("POST", `/v1/schedules/${id}/trigger`);
      runs.push(body.messageId);
    }
  }
  await ok("POST", `/v1/schedules/${scheduleId}/pause`, { note: `pause of ${name}` });

  // Nothing of this type happens here, so their log stays empty. Two, so that their list has a next page.
  const endpointId = `events-of-${name}`;
  for (const endpoint of [
    { endpointId, kind: "webhook", url: `${url}/events`, headers, labels: { owner: name } },
    { endpointId: "shared", kind: "stream", targetIds: [targetId] },
  ]) {
    const body = { ...endpoint, types: ["endpoint.disabled"] };
    const made = await api("POST", "/v1/event-endpoints", { body });
    if (made.status !== 201) throw new Error(made.text);
  }

  const messageIds = [
    ...runs,
    ...deadLetterIds,
    ...others,
    ...scheduledIds,
    messageId,
    keyed.messageId,
  ];
  const places = [
    "/v1/account",
    "/v1/usage",
    "/v1/targets?limit=100",
    "/v1/keys",
    "/v1/clients",
    `/v1/clients/${clientId}`,
    "/v1/audit-log?limit=100",
    "/v1/messages?limit=100",
    "/v1/jobs?limit=100",
    `/v1/jobs/${jobId}`,
    "/v1/schedules?limit=100",
    "/v1/event-endpoints?limit=100",
    ...[endpointId, "shared"].flatMap((each) => [
      `/v1/event-endpoints/${each}`,
      `/v1/event-endpoints/${each}/events?from=oldest`,
    ]),
    ...[scheduleId, "shared"].flatMap((each) => [
      `/v1/schedules/${each}`,
      `/v1/schedules/${each}/runs`,
    ]),
    ...["shared", targetId].flatMap((each) => [
      `/v1/targets/${each}`,
      `/v1/targets/${each}/scheduled-messages`,
      `/v1/targets/${each}/dead-letters`,
    ]),
    ...messageIds.flatMap((each) => [
      `/v1/messages/${each}`,
      `/v1/messages/${each}/payload`,
      `/v1/messages/${each}/attempts`,
    ]),
  ];
  const kinds = [
    ...["account", "payload", "label", "key", "client", "note", "later 1", "dead 1"],
    ...["recurring", "pause"],
  ];
  return {
    api,
    key,
    path,
    ids: {
      ...{ accountId, targetId, messageId, keyId, clientId, jobId, scheduleId, endpointId },
      key: keyOfMessage,
    },
    scheduledIds,
    deadLetterIds,
    marks: [
      accountId,
      targetId,
      keyId,
      clientId,
      keyOfMessage,
      firstJobId,
      jobId,
      scheduleId,
      endpointId,
      ...messageIds,
      ...kinds.map((k) => `${k} of ${name}`),
    ],
    everything: () =>
      Promise.all(
        places.map(async (place) => {
          const { status, text } = await api("GET", place);
          return `${place}: ${status} ${text}`;
        }),
      ),
    send: (payload) => schedule("shared", "2020-01-01T00:00:00Z", payload),
  };
}

/** Creates a job and waits until it has ended. */
export async function endedJob(api: Api, order: object): Promise<ApiAnswer["body"]> {
  const created = await api("POST", "/v1/jobs", { body: order });
  if (created.status !== 201) throw new Error(`POST /v1/jobs: ${created.text}`);
  return jobEnds(api, created.body.jobId);
}

export function jobEnds(api: Api, jobId: string): Promise<ApiAnswer["body"]> {
  return vi.waitFor(async () => {
    const { body } = await api("GET", `/v1/jobs/${jobId}`);
    if (body.endTime === null) throw new Error(`the job is ${body.state}`);
    return body;
  }, patiently);
}
