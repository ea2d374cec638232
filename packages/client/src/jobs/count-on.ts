import type { CountFrom } from "../types/jobs.ts";

interface Count<Item> {
  readonly count: number;
  readonly exact: boolean;
  readonly sample: Item[];
  readonly nextPageToken: string | null;
}

const mostCounted = 100_000;
const longestMs = 4_000;

/** One answer counts for less than a second. This goes on with it, answer by answer. */
export async function countOn<Item>(
  ask: (from?: CountFrom) => Promise<Count<Item>>,
): Promise<Count<Item>> {
  const until = Date.now() + longestMs;
  let all = await ask();
  while (typeof all.nextPageToken === "string" && all.count < mostCounted && Date.now() < until) {
    const more = await ask({ pageToken: all.nextPageToken });
    const sample = [...all.sample, ...more.sample].slice(0, 10);
    all = { ...more, count: all.count + more.count, sample };
  }
  return all;
}
