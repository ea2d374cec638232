import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError, ConnectionError, TimeoutError } from "../src/index.ts";
import type { MessageInput, Postdate, ScheduleOptions } from "../src/index.ts";
import { ModelService } from "./support/model-service.ts";
import type { Fate } from "./support/model-service.ts";
import {
  answer,
  hangUp,
  messageOf,
  page,
  refusal,
  scriptedServers,
  silence,
} from "./support/scripted-server.ts";
import type { Script } from "./support/scripted-server.ts";

const serverWith = scriptedServers();

const input = (payload: string): MessageInput => ({ targetId: "t", in: { hours: 1 }, payload });
const schedule = (postdate: Postdate, payload: string, options?: ScheduleOptions) =>
  postdate.messages.schedule(input(payload), options);
const texts = (count: number, prefix = "p"): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Holds each request until the test lets it go. */
function held(then: Script) {
  const open: (() => void)[] = [];
  const script: Script = (request, response) =>
    new Promise<void>((resolve) => open.push(() => resolve(void then(request, response))));
  return { script, release: () => open.splice(0).forEach((go) => go()) };
}

describe("calls that come together", () => {
  test("travel together, and each has its own answer", async () => {
    const model = new ModelService();
    const server = await serverWith(model.script);
    const postdate = server.client();
    const messages = await Promise.all(texts(50).map((text) => schedule(postdate, text)));
    expect(messages.map(({ messageId }) => messageId)).toEqual(texts(50).map((t) => `msg of ${t}`));
    // The first two go at once, the others in halves when there is a place.
    const [first, second, ...batches] = model.sizes;
    expect([first, second]).toEqual([1, 1]);
    expect(batches.length).toBeLessThanOrEqual(3);
    const [single, , ...together] = server.received;
    const batch = together.find(({ json }) => json.messages[0].payload === "p2");
    expect(single).toMatchObject({ path: "/v1/messages", json: { delayMs: 3_600_000 } });
    expect(single?.json).not.toHaveProperty("idempotencyKey");
    expect(batch?.path).toBe("/v1/messages/batch");
    expect(batch?.headers).not.toHaveProperty("idempotency-key");
    expect(batch?.json.messages[0]).toEqual({
      targetId: "t",
      delayMs: 3_600_000,
      payload: "p2",
      idempotencyKey: expect.stringMatching(/^\d+-\d+-\d+$/),
    });
  });

  test("again and again travel together, one half after the other", async () => {
    const model = new ModelService();
    const postdate = (await serverWith(model.script)).client();
    const caller = async (prefix: string): Promise<void> => {
      for (const text of texts(100, prefix)) await schedule(postdate, text);
    };
    await Promise.all(texts(64, "caller ").map((name) => caller(`${name} `)));
    expect(model.scheduled).toHaveLength(6_400);
    // Halves make 200 requests. Without time to call again, a third of the callers would wait each time: 300.
    expect(model.sizes.length).toBeLessThan(250);
  });

  test("one after the other travel alone", async () => {
    const model = new ModelService();
    const postdate = (await serverWith(model.script)).client();
    for (const text of texts(5)) await schedule(postdate, text);
    expect(model.sizes).toEqual([1, 1, 1, 1, 1]);
  });

  test("travel alone with gather: false, or with headers of their own", async () => {
    const model = new ModelService();
    const server = await serverWith(model.script);
    const apart = server.client({ gather: false });
    await Promise.all(texts(5).map((text) => schedule(apart, text)));
    const together = server.client();
    await Promise.all(
      texts(5, "q").map((text) => schedule(together, text, { headers: { "x-trace": text } })),
    );
    expect(model.sizes).toEqual(Array.from({ length: 10 }, () => 1));
    expect(
      server.received
        .slice(5)
        .map(({ headers }) => String(headers["x-trace"]))
        .toSorted((one, other) => one.localeCompare(other)),
    ).toEqual(texts(5, "q"));
  });

  test("are refused each for itself, with the status that it would have alone", async () => {
    const model = new ModelService();
    const server = await serverWith(model.script);
    const postdate = server.client();
    const calls = ["a", "b", "c", "bad 1", "d", "bad 2"].map((text) => schedule(postdate, text));
    const reused = schedule(postdate, "one", { idempotencyKey: "k" });
    const again = schedule(postdate, "other", { idempotencyKey: "k" });
    const outcomes = await Promise.allSettled([...calls, reused, again]);
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([
      true,
      true,
      true,
      false,
      true,
      false,
      true,
      false,
    ]);
    expect((outcomes[3] as PromiseRejectedResult).reason).toBeInstanceOf(ApiError);
    expect((outcomes[3] as PromiseRejectedResult).reason).toMatchObject({
      status: 400,
      code: "E-DI-3001",
      requestId: "req-1",
      message: "E-DI-3001: No target for bad 1.",
    });
    expect((outcomes[7] as PromiseRejectedResult).reason).toMatchObject({
      status: 422,
      code: "E-DI-5007",
    });
  });
});

describe("a batch that fails", () => {
  test("as a whole fails for each caller, with an error of its own", async () => {
    const good = answer(200, messageOf("m"));
    const server = await serverWith(good, good, refusal(403, "E-DI-2002"));
    const postdate = server.client();
    const outcomes = await Promise.allSettled(texts(5).map((text) => schedule(postdate, text)));
    const errors = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(errors).toHaveLength(3);
    expect(new Set(errors).size).toBe(3);
    for (const error of errors) expect(error).toMatchObject({ code: "E-DI-2002", status: 403 });
  });

  test("by a lost connection fails for each caller, with an error of its own", async () => {
    const good = answer(200, messageOf("m"));
    const server = await serverWith(good, good, hangUp);
    const postdate = server.client({ retry: { tries: 2, initialMs: 1 } });
    const outcomes = await Promise.allSettled(texts(4).map((text) => schedule(postdate, text)));
    const errors = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(errors).toHaveLength(2);
    expect(new Set(errors).size).toBe(2);
    for (const error of errors) expect(error).toBeInstanceOf(ConnectionError);
  });

  test("because it is too large is divided until it fits", async () => {
    const model = new ModelService([], 10);
    const postdate = (await serverWith(model.script)).client();
    await Promise.all(texts(60).map((text) => schedule(postdate, text)));
    expect(model.scheduled.toSorted()).toEqual(texts(60).toSorted());
  });

  test("because a proxy on the way takes less is divided until it fits", async () => {
    const model = new ModelService();
    const server = await serverWith((request, response) =>
      request.text.length > 600
        ? void response.writeHead(413).end("<html>too large</html>")
        : model.script(request, response),
    );
    const postdate = server.client();
    const messages = await Promise.all(texts(20).map((text) => schedule(postdate, text)));
    expect(messages.map(({ messageId }) => messageId)).toEqual(texts(20).map((t) => `msg of ${t}`));
    expect(model.scheduled.toSorted()).toEqual(texts(20).toSorted());
  });

  test("because of something that is not a list of results is not from Postdate", async () => {
    const good = answer(200, messageOf("m"));
    const server = await serverWith(good, good, answer(200, { results: [] }));
    const postdate = server.client();
    const outcomes = await Promise.allSettled(texts(4).map((text) => schedule(postdate, text)));
    expect((outcomes[3] as PromiseRejectedResult).reason).toMatchObject({
      name: "ConnectionError",
      message: expect.stringContaining("not from Postdate"),
    });
  });
});

describe("a caller that leaves", () => {
  test("leaves the others alone, and is not sent if it was not yet", async () => {
    const model = new ModelService();
    const { script, release } = held(model.script);
    const server = await serverWith(script);
    const postdate = server.client();
    const reason = new Error("gone");
    const controller = new AbortController();
    const first = texts(2).map((text) => schedule(postdate, text));
    const gone = schedule(postdate, "gone", { signal: controller.signal });
    const brief = schedule(postdate, "brief", { timeoutMs: 1 });
    const stays = schedule(postdate, "stays");
    controller.abort(reason);
    await expect(gone).rejects.toBe(reason);
    await expect(brief).rejects.toBeInstanceOf(TimeoutError);
    await server.arrived(2);
    release();
    await Promise.all(first);
    await server.arrived(3);
    release();
    expect(await stays).toMatchObject({ messageId: "msg of stays" });
    expect(model.scheduled).toEqual(["p0", "p1", "stays"]);
  });

  test("leaves the way free, also with a long message", async () => {
    const model = new ModelService();
    const postdate = (await serverWith(model.script)).client();
    const first = texts(2).map((text) => schedule(postdate, text));
    const controller = new AbortController();
    const { signal } = controller;
    const gone = schedule(postdate, "€".repeat(400_000), { signal }).catch(
      (error: unknown) => error,
    );
    const others = texts(3, "q").map((text) => schedule(postdate, text));
    controller.abort("gone");
    expect(await gone).toBe("gone");
    await Promise.all([...first, ...others]);
    expect(model.scheduled).toHaveLength(5);
  });

  test("while its batch is under way rejects at once", async () => {
    const model = new ModelService();
    const good = answer(200, messageOf("m"));
    const { script, release } = held(model.script);
    const server = await serverWith(good, good, script);
    const postdate = server.client();
    const controller = new AbortController();
    const calls = texts(3).map((text) => schedule(postdate, text));
    const gone = schedule(postdate, "gone", { signal: controller.signal });
    await server.arrived(3);
    controller.abort("gone");
    await expect(gone).rejects.toBe("gone");
    release();
    expect(await Promise.all(calls)).toHaveLength(3);
  });

  test("is not scheduled when its batch is divided", async () => {
    const model = new ModelService();
    const controller = new AbortController();
    const server = await serverWith((request, response) => {
      if (controller.signal.aborted || !request.text.includes('"gone"')) {
        return model.script(request, response);
      }
      controller.abort("gone");
      return page(413)(request, response);
    });
    const postdate = server.client();
    const calls = texts(2).map((text) => schedule(postdate, text));
    const gone = schedule(postdate, "gone", { signal: controller.signal });
    calls.push(...texts(4, "q").map((text) => schedule(postdate, text)));
    await expect(gone).rejects.toBe("gone");
    await Promise.all(calls);
    expect(model.scheduled.toSorted()).toEqual([...texts(2), ...texts(4, "q")]);
  });

  test("last ends the request", async () => {
    const good = answer(200, messageOf("m"));
    let closed: (() => void) | undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const server = await serverWith(good, good, (_, response) => response.once("close", closed!));
    const postdate = server.client();
    const controller = new AbortController();
    const { signal } = controller;
    const calls = texts(4).map((text) => schedule(postdate, text, { signal }));
    const outcomes = Promise.allSettled(calls);
    await Promise.all(calls.slice(0, 2));
    await server.arrived(3);
    controller.abort("all gone");
    await isClosed;
    expect((await outcomes).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
  });
});

describe("a caller with a deadline of its own", () => {
  const good = answer(200, messageOf("m"));
  const failureOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => expect.unreachable(),
      (error: unknown) => error,
    );

  test("learns from its TimeoutError why the last try failed", async () => {
    const server = await serverWith(good, good, refusal(503, "E-DI-9002"), silence);
    const postdate = server.client();
    const first = texts(2).map((text) => schedule(postdate, text));
    const late = texts(2, "late ").map((text) => schedule(postdate, text, { timeoutMs: 1_000 }));
    const errors = await Promise.all(late.map(failureOf));
    await Promise.all(first);
    for (const error of errors) {
      expect(error).toBeInstanceOf(TimeoutError);
      expect(error).toMatchObject({ timeoutMs: 1_000, cause: { code: "E-DI-9002" } });
    }
  });

  test("does not wait for a try that comes after its deadline", async () => {
    const wait = refusal(429, "E-DI-2003", { "retry-after": "900" });
    const server = await serverWith(good, good, wait);
    const postdate = server.client();
    const controller = new AbortController();
    const first = texts(2).map((text) => schedule(postdate, text));
    const brief = schedule(postdate, "brief", { timeoutMs: 800_000 });
    const patient = schedule(postdate, "patient", {
      timeoutMs: Infinity,
      signal: controller.signal,
    });
    const outcome = failureOf(patient);
    await Promise.all(first);
    expect(await failureOf(brief)).toMatchObject({ code: "E-DI-2003", retryAfterMs: 900_000 });
    controller.abort("enough");
    expect(await outcome).toBe("enough");
  });
});

const refused = { errors: [{ code: "E-DI-3001", message: "No target." }] };
test.each<[string, Script, ScheduleOptions]>([
  ["a batch that is refused", refusal(403, "E-DI-2002"), {}],
  ["a message that is refused", answer(200, { results: [refused, refused] }), {}],
  ["a deadline", silence, { timeoutMs: 300 }],
])("the stack of an error leads to the caller, after %s", async (_, script, options) => {
  const good = answer(200, messageOf("m"));
  const server = await serverWith(good, good, script);
  const postdate = server.client();
  const first = texts(2).map((text) => schedule(postdate, text));
  async function theCaller(text: string): Promise<void> {
    await schedule(postdate, text, options);
  }
  const outcomes = await Promise.allSettled(texts(2, "q").map(theCaller));
  await Promise.all(first);
  for (const { reason } of outcomes as PromiseRejectedResult[]) {
    expect((reason as Error).stack).toContain("theCaller");
  }
});

test("requests that hang hold nobody up", async () => {
  const model = new ModelService();
  const server = await serverWith(silence, silence, model.script);
  const postdate = server.client();
  const controller = new AbortController();
  const hanging = texts(2).map((text) =>
    schedule(postdate, text, { signal: controller.signal }).catch(() => "left"),
  );
  const messages = await Promise.all(texts(5, "q").map((text) => schedule(postdate, text)));
  expect(messages).toHaveLength(5);
  controller.abort();
  expect(await Promise.all(hanging)).toEqual(["left", "left"]);
});

test("long messages travel alone, and many in batches below the limit of 16 MiB", async () => {
  const model = new ModelService();
  const server = await serverWith(model.script);
  const postdate = server.client();
  const long = "€".repeat(400_000);
  const payloads = [
    "a",
    "b",
    "c",
    long,
    "d",
    ...texts(60).map((text) => text + "€".repeat(99_000)),
  ];
  await Promise.all(payloads.map((text) => schedule(postdate, text)));
  expect(model.scheduled.toSorted()).toEqual(payloads.toSorted());
  const batches = server.received.filter(({ path }) => path.endsWith("/batch"));
  for (const { text } of batches) expect(Buffer.byteLength(text)).toBeLessThan(16 * 1_048_576);
  const alone = server.received.filter(({ path }) => path === "/v1/messages");
  expect(alone.map(({ json }) => json.payload)).toContain(long);
});

test("any mixture gives each caller its own answer, and schedules each message once", async () => {
  const fate = fc.constantFrom<Fate>("answered", "lost", "lostAnswer", "overloaded", "limited");
  const call = fc.record({
    isBad: fc.boolean(),
    /** How many turns of the event loop the call comes after the one before. */
    pause: fc.nat(3),
    leaves: fc.constantFrom("never", "never", "never", "at once", "soon"),
    hasKey: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 60 }),
      fc.array(fate, { maxLength: 4 }),
      fc.integer({ min: 3, max: 60 }),
      async (calls, fates, mostItems) => {
        const model = new ModelService(fates, mostItems);
        const server = await serverWith(model.script);
        const postdate = server.client({ retry: { tries: 10, initialMs: 0, maxMs: 1 } });
        const outcomes: Promise<void>[] = [];
        for (const [index, { isBad, pause, leaves, hasKey }] of calls.entries()) {
          for (let turn = 0; turn < pause; turn++) await new Promise(setImmediate);
          const payload = `${isBad ? "bad" : "good"} ${index}`;
          const controller = new AbortController();
          const result = schedule(postdate, payload, {
            signal: controller.signal,
            ...(hasKey && { idempotencyKey: `key-${index}` }),
          }).then(
            ({ messageId }) => messageId,
            (error: unknown) => (error instanceof Error ? error.message : error),
          );
          if (leaves === "at once") controller.abort(`left ${index}`);
          if (leaves === "soon") setImmediate(() => controller.abort(`left ${index}`));
          const own = isBad ? `E-DI-3001: No target for ${payload}.` : `msg of ${payload}`;
          const allowed = leaves === "never" ? [own] : [own, `left ${index}`];
          outcomes.push(result.then((text) => expect(allowed).toContain(text)));
        }
        await Promise.all(outcomes);
        expect(new Set(model.scheduled).size).toBe(model.scheduled.length);
        const stayed = calls.flatMap(({ isBad, leaves }, index) =>
          isBad || leaves !== "never" ? [] : [`good ${index}`],
        );
        expect(model.scheduled).toEqual(expect.arrayContaining(stayed));
      },
    ),
    { numRuns: 60 },
  );
});
