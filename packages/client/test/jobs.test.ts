import { expect, test } from "vitest";
import { answer, hangUp, refusal, scriptedServers } from "./support/scripted-server.ts";

const serverWith = scriptedServers();
const jobId = "job_01k9xvq8c7e4nv3q0t2m5r8w1z";

const job = (change: Record<string, unknown> = {}) =>
  answer(200, { jobId, state: "RUNNING", done: 0, ...change });

const order = { action: "cancel", filter: { labels: { order: "17" } } } as const;

test("a job travels as it is given, with dates as times and a key of the client", async () => {
  const server = await serverWith(job());
  const minTime = new Date("2030-01-01T09:00:00Z");
  await server.client().jobs.create({
    action: "shift",
    filter: { targetId: "mail", minTime },
    byMs: -60_000,
  });
  const [request] = server.received;
  expect([request?.method, request?.path]).toEqual(["POST", "/v1/jobs"]);
  expect(request?.json).toEqual({
    action: "shift",
    filter: { targetId: "mail", minTime: "2030-01-01T09:00:00.000Z" },
    byMs: -60_000,
  });
  expect(request?.headers["idempotency-key"]).toMatch(/^\d+-\d+-\d+$/);
});

test.each(["create", "redrive"] as const)(
  "%s is repeated with the same key when its answer was lost",
  async (method) => {
    const server = await serverWith(hangUp, job());
    const { jobs, targets } = server.client();
    const made = await (method === "create" ? jobs.create(order) : targets.redrive("mail"));
    expect(made.jobId).toBe(jobId);
    const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toBeDefined();
  },
);

test("the caller's own key is used, and another is refused before anything is sent", async () => {
  const server = await serverWith(job());
  const { jobs, targets } = server.client();
  await jobs.create(order, { idempotencyKey: "a" });
  await targets.redrive("mail", {}, { idempotencyKey: "b" });
  expect(server.received.map(({ headers }) => headers["idempotency-key"])).toEqual(["a", "b"]);
  await expect(jobs.create(order, { idempotencyKey: "" })).rejects.toThrow(/idempotencyKey must/);
  expect(server.received).toHaveLength(2);
});

test("a preview is a dry run", async () => {
  const preview = { count: 3, exact: true, sample: [], nextPageToken: null };
  const server = await serverWith(answer(200, preview));
  expect(await server.client().jobs.preview(order)).toEqual(preview);
  expect(server.received[0]?.json).toEqual({ ...order, dryRun: true });
});

test("a preview goes on until nothing is left, or enough is counted", async () => {
  const page = (count: number, first: string, nextPageToken: string | null) =>
    answer(200, {
      ...{ count, exact: nextPageToken === null, nextPageToken },
      sample: Array.from({ length: 6 }, (_, at) => ({ messageId: `${first}${at}` })),
    });
  const server = await serverWith(page(3, "a", "2"), page(4, "b", null));
  const { jobs } = server.client();
  const { sample, ...counted } = await jobs.preview(order);
  expect(counted).toEqual({ count: 7, exact: true, nextPageToken: null });
  const firstTen = ["a0", "a1", "a2", "a3", "a4", "a5", "b0", "b1", "b2", "b3"];
  expect(sample.map(({ messageId }) => messageId)).toEqual(firstTen);
  expect(server.received.map(({ json }) => json)).toEqual([
    { ...order, dryRun: true },
    { ...order, dryRun: true, pageToken: "2" },
  ]);
  const many = await serverWith(page(60_000, "a", "2"), page(40_001, "b", "3"));
  const from = { ...order, pageToken: "1" };
  expect(await many.client().jobs.preview(from)).toMatchObject({
    ...{ count: 100_001, exact: false, nextPageToken: "3" },
  });
  expect(many.received.map(({ json }) => (json as { pageToken: string }).pageToken)).toEqual([
    "1",
    "2",
  ]);
});

test("a redrive names its target in the path", async () => {
  const server = await serverWith(job());
  await server.client().targets.redrive("mail", { filter: { lastStatusCode: 503 }, note: "n" });
  expect(server.received[0]?.path).toBe("/v1/targets/mail/dead-letters/redrive");
  expect(server.received[0]?.json).toEqual({ filter: { lastStatusCode: 503 }, note: "n" });
});

test("a target is removed with its messages only if that is asked for", async () => {
  const server = await serverWith(job());
  const { targets } = server.client();
  await targets.remove("mail");
  const { jobId: made } = await targets.remove("mail", { messages: "cancel" });
  expect(made).toBe(jobId);
  expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "DELETE /v1/targets/mail",
    "DELETE /v1/targets/mail?messages=cancel",
  ]);
});

test("a job that is not there is null", async () => {
  const server = await serverWith(refusal(404, "E-DI-7001"));
  expect(await server.client().jobs.get(jobId)).toBeNull();
});

test("a stop that was repeated and comes too late answers with the stopped job", async () => {
  const server = await serverWith(
    hangUp,
    refusal(409, "E-DI-7003"),
    job({ state: "STOPPED", done: 5 }),
  );
  expect(await server.client().jobs.stop(jobId)).toMatchObject({ state: "STOPPED", done: 5 });
});

test.each([
  ["it was sent once", [refusal(409, "E-DI-7003")]],
  ["the job is done", [hangUp, refusal(409, "E-DI-7003"), job({ state: "DONE" })]],
])("a stop that comes too late is an error if %s", async (_, scripts) => {
  const server = await serverWith(...scripts);
  await expect(server.client().jobs.stop(jobId)).rejects.toMatchObject({ code: "E-DI-7003" });
});

test("the rate of a job is changed", async () => {
  const server = await serverWith(job({ ratePerSecond: 7 }));
  expect((await server.client().jobs.setRate(jobId, 7)).ratePerSecond).toBe(7);
  expect(server.received[0]).toMatchObject({
    method: "PATCH",
    path: `/v1/jobs/${jobId}`,
    json: { ratePerSecond: 7 },
  });
});

test.each(["DONE", "STOPPED", "FAILED", "PAUSED"])(
  "wait looks until a job is %s",
  async (state) => {
    const server = await serverWith(
      job({ done: 1 }),
      hangUp,
      job({ done: 2 }),
      job({ state, done: 3 }),
    );
    const seen: number[] = [];
    const ended = await server
      .client()
      .jobs.wait(jobId, { onProgress: ({ done }) => seen.push(done) });
    expect(ended).toMatchObject({ state, done: 3 });
    expect(seen).toEqual([1, 2, 3]);
  },
);

test("wait ends with the reason of the signal, also between two looks", async () => {
  const server = await serverWith(job());
  const leaving = new AbortController();
  const reason = new Error("enough");
  const waiting = server.client().jobs.wait(jobId, {
    signal: leaving.signal,
    onProgress: () => leaving.abort(reason),
  });
  await expect(waiting).rejects.toBe(reason);
  expect(server.received).toHaveLength(1);
});

test("wait for a job that is not there, or whose listener throws, is an error", async () => {
  const server = await serverWith(refusal(404, "E-DI-7001"));
  const { jobs } = server.client();
  await expect(jobs.wait(jobId)).rejects.toMatchObject({ code: "E-DI-7001" });
  server.answerWith(job());
  const onProgress = () => {
    throw new Error("not this way");
  };
  await expect(jobs.wait(jobId, { onProgress })).rejects.toThrow("not this way");
});
