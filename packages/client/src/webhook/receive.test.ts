import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { Reject, RetryLater } from "./receipts.ts";
import { receive } from "./receive.ts";
import type { ReceiveOptions } from "./receive.ts";
import { otherSecret, secret, signedRequest } from "./testing/signed-request.ts";
import { VerificationError } from "./verification-error.ts";
import type { Webhook } from "./webhook.ts";

const consoleError = vi.spyOn(console, "error").mockImplementation(() => {});
afterEach(() => void consoleError.mockClear());
afterAll(() => consoleError.mockRestore());

async function answerOf(
  handler: (webhook: Webhook) => unknown,
  options: Partial<ReceiveOptions> = {},
  request: Request = signedRequest(),
) {
  const response = await receive({ secret, ...options }, handler as () => void)(request);
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), text: await response.text() };
}

const thrower = (error: unknown) => () => {
  throw error;
};

describe("what the handler does decides the answer", () => {
  test("resolved: 204, after the handler is done", async () => {
    const seen: string[] = [];
    const answer = await answerOf(async ({ payload }) => {
      await Promise.resolve();
      seen.push(payload);
    });
    expect(answer).toEqual({ status: 204, headers: {}, text: "" });
    expect(seen).toEqual(["hello"]);
  });

  test("Reject: 410 with its message", async () => {
    expect(await answerOf(thrower(new Reject("no such order")))).toMatchObject({
      status: 410,
      text: "no such order",
    });
    expect(consoleError).not.toHaveBeenCalled();
  });

  test.each([
    [0, "0"],
    [1, "1"],
    [1_000, "1"],
    [1_001, "2"],
    [999_999_999_999, "1000000000"],
    [Infinity, "1000000000"],
  ])("RetryLater(%d): 503 with Retry-After: %s", async (delayMs, seconds) => {
    const answer = await answerOf(thrower(new RetryLater(delayMs)));
    expect(answer).toMatchObject({ status: 503, headers: { "retry-after": seconds } });
    expect(consoleError).not.toHaveBeenCalled();
  });

  test.each([Number.NaN, -1])("RetryLater(%d) is refused", (delayMs) => {
    expect(() => new RetryLater(delayMs)).toThrow(RangeError);
  });

  test.each([new Error("the password is hunter2"), "a text", undefined])(
    "anything else: 500, and nothing of it for the sender (%s)",
    async (thrown) => {
      const { status, text } = await answerOf(thrower(thrown));
      expect({ status, text }).toEqual({ status: 500, text: "The receiver failed." });
      expect(consoleError).toHaveBeenCalledExactlyOnceWith("msg_1", thrown);
    },
  );

  test("the hook learns which delivery the handler failed at", async () => {
    const onError = vi.fn();
    const error = new Error("x");
    await answerOf(thrower(error), { onError });
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      error,
      expect.objectContaining({ messageId: "msg_1", payload: "hello" }),
    );
  });

  test("an error of another verification: 500, for this delivery is genuine", async () => {
    const error = new VerificationError("no-match", "of something else");
    expect((await answerOf(thrower(error))).status).toBe(500);
  });

  test("a Response: 500, for it would be dropped", async () => {
    const onError = vi.fn();
    const answer = await answerOf(() => new Response(null, { status: 400 }), { onError });
    expect(answer.status).toBe(500);
    expect(String(onError.mock.calls)).toContain("returns nothing, or throws");
  });
});

describe("what never reaches the handler", () => {
  const never = (): never => expect.fail("the handler ran");

  test.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])("%s: 405", async (method) => {
    const { status, headers } = await answerOf(never, {}, new Request("http://a.test", { method }));
    expect({ status, allow: headers["allow"] }).toEqual({ status: 405, allow: "POST" });
  });

  test("a wrong signature: 401, and the sender learns why", async () => {
    const onError = vi.fn();
    const request = signedRequest({}, { body: "changed" });
    expect(await answerOf(never, { onError }, request)).toMatchObject({
      status: 401,
      text: expect.stringContaining("No signature matches"),
    });
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ reason: "no-match" }),
      undefined,
    );
  });

  test.each([
    ["a wrong secret", "no-match", {}],
    ["a clock that is behind", "too-new", { now: () => Date.now() - 3_600_000 }],
    ["a clock that is ahead", "too-old", { now: () => Date.now() + 3_600_000 }],
  ])("%s is said once in the log, however many deliveries meet it", async (_, reason, options) => {
    for (let delivery = 0; delivery < 3; delivery++) {
      const wrong = { secret: [otherSecret], ...options };
      expect((await answerOf(never, wrong)).status).toBe(401);
    }
    expect(consoleError).toHaveBeenCalledExactlyOnceWith(
      "Not verified:",
      expect.objectContaining({ reason }),
    );
    expect(String(consoleError.mock.calls)).toMatch(
      /Is secret the target's or event endpoint's own|Is the clock/,
    );
    expect(String(consoleError.mock.calls)).not.toContain(otherSecret);
  });

  test("a stranger writes nothing into the log", async () => {
    const request = new Request("http://a.test", { method: "POST", body: "x" });
    expect((await answerOf(never, {}, request)).status).toBe(401);
    expect(consoleError).not.toHaveBeenCalled();
  });

  test("too large: 413", async () => {
    expect((await answerOf(never, { maxBodyBytes: 4 })).status).toBe(413);
    expect((await answerOf(() => {}, { maxBodyBytes: 5 })).status).toBe(204);
  });

  test("no secret is the receiver's fault: 500, in the log", async () => {
    const { status, text } = await answerOf(never, { secret: undefined });
    expect({ status, text }).toEqual({ status: 500, text: "The receiver failed." });
    expect(consoleError.mock.calls).toMatchObject([["Not verified:", { reason: "bad-secret" }]]);
  });

  test("a body that was read: 500, and the log has the cure", async () => {
    const request = signedRequest();
    await request.json().catch(() => {});
    expect((await answerOf(never, {}, request)).status).toBe(500);
    expect(String(consoleError.mock.calls)).toContain("Put expressReceiver before");
  });
});

test.each([
  ["throws", thrower(new Error("no log"))],
  ["rejects", () => Promise.reject(new Error("no log"))],
])("a hook that %s changes no answer", async (_what, onError) => {
  expect((await answerOf(thrower(new Error("x")), { onError })).status).toBe(500);
});

test("the answer waits for the hook, as some hosts end with the answer", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isAnswered = false;
  const answer = answerOf(thrower(new Error("x")), { onError: () => promise }).then(() => {
    isAnswered = true;
  });
  await new Promise((resume) => setImmediate(resume));
  expect(isAnswered).toBe(false);
  resolve();
  await answer;
});

test.each([
  ["SvelteKit's event", (request: Request) => ({ request, url: new URL(request.url) })],
  ["Hono's context", (raw: Request) => ({ req: { raw } })],
])("%s stands for its request", async (_what, wrapped) => {
  const route = receive({ secret }, () => {});
  expect((await route(wrapped(signedRequest()))).status).toBe(204);
});
