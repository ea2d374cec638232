import { expect, test } from "vitest";
import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import { codes } from "../../domain/refusals.ts";
import { createPageTokens } from "../../domain/page-token.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { JobLook, JobLookRequest } from "../../storage/store.ts";
import { previewPlaces } from "./count-in-looks.ts";
import type { GivenJob } from "./given-job.ts";
import { previewJob } from "./preview-job.ts";
import type { PreviewJobOptions } from "./preview-job.ts";

const request = {
  given: { action: "cancel", filter: { labels: { a: "1" } } },
  problems: [],
  targetIn: "filter",
} as const;
const callerOf = (accountId: string): Caller => ({ accountId }) as Caller;
const waiting = new AbortController().signal;
const message = (messageId: string): Message => ({ messageId }) as Message;

/** Looks without a store: each finds `found` messages, and there are `slices` of them. */
function looks(slices: number, found = 1_000) {
  const asked: JobLookRequest[] = [];
  const rests: number[] = [];
  let now = 0;
  const lookForJob = async (asking: JobLookRequest): Promise<JobLook> => {
    asked.push(asking);
    const index = asking.after === null ? 0 : Number(asking.after.messageId);
    return {
      count: found,
      sample: Array.from({ length: Math.min(4, asking.sample) }, (_, at) =>
        message(`${index}.${at}`),
      ),
      lookedUntil: index + 1 < slices ? { time: null, messageId: String(index + 1) } : null,
    };
  };
  const options: PreviewJobOptions = {
    store: {
      lookForJob,
      getTarget: async () => undefined,
      clock: { now: () => 42 },
    },
    clock: { monotonic: () => now },
    timers: {
      after: (waitMs, callback) => {
        rests.push(waitMs);
        queueMicrotask(callback);
        return { cancel() {} };
      },
    },
    pageTokens: createPageTokens(Buffer.from("a key of tokens")),
    looksInTurn: new PlacesInTurn(previewPlaces),
    stopping: waiting,
  };
  return { asked, rests, options, pass: (ms: number) => void (now += ms) };
}

test("goes on where a look ended, and shows the first ten", async () => {
  const { asked, options } = looks(7);
  const { sample, ...counted } = await previewJob(options, callerOf("a"), request, waiting);
  expect(counted).toEqual({ count: 7_000, exact: true, nextPageToken: null });
  expect(sample.map(({ messageId }) => messageId)).toEqual([
    "0.0",
    "0.1",
    "0.2",
    "0.3",
    "1.0",
    "1.1",
    "1.2",
    "1.3",
    "2.0",
    "2.1",
  ]);
  expect(asked.map(({ after }) => after?.messageId ?? null)).toEqual([
    null,
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
  ]);
  expect(new Set(asked.map(({ time, order }) => `${time} ${order.accountId}`))).toEqual(
    new Set(["42 a"]),
  );
});

test.each([
  [99, { count: 99_000, exact: true }],
  [100, { count: 100_000, exact: true }],
  [101, { count: 100_000, exact: false }],
  [9_999, { count: 100_000, exact: false }],
])("counts up to 100,000: %i slices of 1,000", async (slices, expected) => {
  const { asked, options } = looks(slices);
  expect(await previewJob(options, callerOf("a"), request, waiting)).toMatchObject(expected);
  expect(asked).toHaveLength(Math.min(slices, 100));
});

/** Each look takes a tenth of a second. */
function slowLooks(slices: number, found: number) {
  const { asked, rests, options, pass } = looks(slices, found);
  const { lookForJob } = options.store;
  const slow: PreviewJobOptions = {
    ...options,
    store: {
      ...options.store,
      lookForJob: (asking) => {
        pass(100);
        return lookForJob(asking);
      },
    },
  };
  return { asked, rests, options: slow };
}

test("rests as long as it looks, and ends within a second, however little it has found", async () => {
  const { asked, rests, options } = slowLooks(1_000_000, 0);
  const preview = await previewJob(options, callerOf("a"), request, waiting);
  expect(preview).toMatchObject({ count: 0, exact: false });
  expect(asked).toHaveLength(7);
  expect(rests).toEqual(Array.from({ length: 7 }, () => 100));
});

test("a count that has ended early goes on with its token, in the same place", async () => {
  const { asked, options } = slowLooks(17, 3);
  const counts: unknown[] = [];
  let pageToken: string | undefined;
  do {
    const given = { ...request.given, pageToken };
    const page = await previewJob(options, callerOf("a"), { ...request, given }, waiting);
    counts.push([page.count, page.exact, page.sample[0]?.messageId]);
    pageToken = page.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
  expect(counts).toEqual([
    [21, false, "0.0"],
    [21, false, "7.0"],
    [9, true, "14.0"],
  ]);
  expect(asked.map(({ after }) => Number(after?.messageId ?? 0))).toEqual([
    ...Array.from({ length: 17 }, (_, index) => index),
  ]);
});

test.each<[string, GivenJob, string]>([
  ["another action", { ...request.given, action: "redrive" }, "a"],
  ["another filter", { action: "cancel", filter: { labels: { a: "2" } } }, "a"],
  ["another account", request.given, "b"],
])("a token is refused with %s", async (_, given, accountId) => {
  const { asked, options } = slowLooks(17, 3);
  const { nextPageToken } = await previewJob(options, callerOf("a"), request, waiting);
  const wanted = { ...request, given: { ...given, pageToken: nextPageToken! } };
  await expect(previewJob(options, callerOf(accountId), wanted, waiting)).rejects.toMatchObject({
    problems: [{ code: codes.invalidPageToken, field: "pageToken" }],
  });
  expect(asked).toHaveLength(7);
});

test.each(["the caller hangs up", "the server stops"])("ends when %s", async (who) => {
  const { asked, options } = looks(1_000_000, 0);
  const gone = new AbortController();
  const { lookForJob } = options.store;
  const watched: PreviewJobOptions = {
    ...options,
    ...(who === "the server stops" && { stopping: gone.signal }),
    store: {
      ...options.store,
      lookForJob: (asking) => {
        if (asked.length === 2) gone.abort();
        return lookForJob(asking);
      },
    },
  };
  const callerGone = who === "the server stops" ? waiting : gone.signal;
  const preview = await previewJob(watched, callerOf("a"), request, callerGone);
  expect(preview.exact).toBe(false);
  expect(asked).toHaveLength(3);
});

test("accounts take turns at each look, and each has one at a time", async () => {
  const { asked, options } = looks(20);
  const underWay = new Map<string, number>();
  const { lookForJob } = options.store;
  const counted: PreviewJobOptions = {
    ...options,
    store: {
      ...options.store,
      lookForJob: async (asking) => {
        const { accountId } = asking.order;
        underWay.set(accountId, (underWay.get(accountId) ?? 0) + 1);
        expect(underWay.get(accountId)).toBe(1);
        expect([...underWay.values()].reduce((all, one) => all + one)).toBeLessThanOrEqual(2);
        await Promise.resolve();
        underWay.set(accountId, underWay.get(accountId)! - 1);
        return lookForJob(asking);
      },
    },
  };
  const ask = (accountId: string) => previewJob(counted, callerOf(accountId), request, waiting);
  const many = Array.from({ length: 50 }, () => ask("many"));
  const few = ["one", "two"].map(ask);
  await Promise.all(few);
  // The account with fifty previews has had about as many looks as each of the others.
  const ofMany = asked.filter(({ order }) => order.accountId === "many");
  expect(ofMany.length).toBeLessThan(60);
  await Promise.all(many);
});
