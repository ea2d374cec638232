/** The parts of all requests of the benchmark, for the service and for the limits. */

export const key = "pd_key_for_benchmarks_only";
export const payloadLength = 200;
/** Messages that are due much later have the targets `later-0`, `later-1` … */
export const laterGroup = "later";
export const laterTargets = 100;
export const batchSize = 1_000;
const hourMs = 3_600_000;
const monthMs = 30 * 24 * hourMs;

/** The payload begins with its number and its due time, by which the receiver recognises it. */
export function payloadOf(number: number, dueAt: number): string {
  return `${String(number).padStart(9, "0")} ${dueAt} `.padEnd(payloadLength, "x");
}

export interface Draft {
  readonly targetId: string;
  readonly dueAt: number;
  readonly number: number;
  readonly extras?: MessageExtras | undefined;
}

/** What a message has beside its target, time and payload. */
export type MessageExtras = "key" | "labels" | "key and labels";

let keys = 0;

/** A request that is sent twice replaces its message. */
function extrasOf(extras: MessageExtras | undefined, number: number): object {
  if (extras === undefined) return {};
  const key = `digest-of-${Date.now()}-${++keys}`;
  const labels = { tenant: `tenant-${number % 1_000}`, kind: "digest" };
  return {
    ...(extras !== "labels" && { key, onConflict: "replace" }),
    ...(extras !== "key" && { labels }),
  };
}

/** Due at a random time over 30 days, for one of a hundred targets: the hard case for indexes. */
export function laterDraft(number: number, now: number, extras?: MessageExtras): Draft {
  return {
    targetId: `${laterGroup}-${Math.floor(Math.random() * laterTargets)}`,
    dueAt: now + hourMs + Math.floor(Math.random() * monthMs),
    number,
    extras,
  };
}

export function singleRequest(url: string, draft: Draft): Buffer {
  return requestOf(url, "/v1/messages", wireOf(draft));
}

export function batchRequest(url: string, drafts: readonly Draft[]): Buffer {
  return requestOf(url, "/v1/messages/batch", `{"messages":[${drafts.map(wireOf).join(",")}]}`);
}

function wireOf({ targetId, dueAt, number, extras }: Draft): string {
  const deliveryTime = new Date(dueAt).toISOString();
  const payload = payloadOf(number, dueAt);
  return JSON.stringify({ targetId, deliveryTime, payload, ...extrasOf(extras, number) });
}

function requestOf(url: string, path: string, body: string): Buffer {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}
