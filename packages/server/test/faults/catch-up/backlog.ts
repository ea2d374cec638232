import type { Asked } from "../../history/history.ts";
import type { Api } from "../../support/api.ts";
import { scheduleBatch } from "../support/logged-batch.ts";

export const hour = 3_600_000;

/** A target with its number of waiting messages, and its limits. */
export interface Backlog {
  readonly targetId: string;
  readonly messages: number;
  readonly rateLimit: { readonly max: number; readonly intervalMs: number } | null;
  readonly maxConcurrency: number;
}

const unlimited = { rateLimit: null, maxConcurrency: 50 };

/** 100,000 together. */
export const backlogs: readonly Backlog[] = [
  ...Array.from({ length: 6 }, (_, index) => ({
    targetId: `plain-${index}`,
    messages: 16_430,
    ...unlimited,
  })),
  {
    targetId: "paced",
    messages: 400,
    rateLimit: { max: 30, intervalMs: 1_000 },
    maxConcurrency: 50,
  },
  { targetId: "narrow", messages: 1_020, rateLimit: null, maxConcurrency: 4 },
];

const batchSize = 1_000;
const callers = 3;
const padding = "x".repeat(180);

export async function addBacklogTargets(api: Api, url: string): Promise<void> {
  for (const { targetId, rateLimit, maxConcurrency } of backlogs) {
    const { status, text } = await api("POST", "/v1/targets", {
      body: { targetId, url, rateLimit, maxConcurrency },
    });
    if (status !== 200) throw new Error(`no target: ${status} ${text}`);
  }
}

/** Schedules them all, each due at a random instant in the hour from `from`. */
export async function scheduleBacklogs(api: Api, from: number): Promise<Asked[]> {
  const targetIds = backlogs.flatMap(({ targetId, messages }) =>
    Array.from({ length: messages }, () => targetId),
  );
  const items = targetIds.map((targetId, index) => ({
    targetId,
    dueAt: from + Math.floor(Math.random() * hour),
    payload: `${index} ${padding}`,
  }));
  const log: Asked[] = [];
  const batches = Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  ).values();
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (const batch of batches) await scheduleBatch(api, `caller-${caller}`, log, batch);
    }),
  );
  return log;
}
