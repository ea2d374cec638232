import { describe, expect, test } from "vitest";
import { otherSecret, secret, signedHeaders, signedRequest } from "./testing/signed-request.ts";
import { PostdateError } from "../errors.ts";
import { VerificationError } from "./verification-error.ts";
import type { VerificationFailure } from "./verification-error.ts";
import { verify } from "./verify.ts";

async function failureOf(verified: Promise<unknown>): Promise<VerificationError> {
  const error: unknown = await verified.then(
    () => expect.fail("it was accepted"),
    (caught: unknown) => caught,
  );
  if (error instanceof VerificationError) return error;
  throw error;
}

async function expectFailure(
  verified: Promise<unknown>,
  reason: VerificationFailure,
): Promise<void> {
  expect((await failureOf(verified)).reason).toBe(reason);
}

const delivery = {
  "postdate-attempt": "2",
  "postdate-target": "billing",
  "postdate-original-delivery-time": "0001-11-14T09:30:00.000Z",
  "postdate-schedule": "weekday-digest",
  "postdate-run-time": "0001-11-14T09:30:00.000Z",
};

describe("what it answers", () => {
  test("everything that a delivery says", async () => {
    const at = Date.now();
    const webhook = await verify(
      { headers: { ...signedHeaders({ at, body: '{"a":1}' }), ...delivery }, body: '{"a":1}' },
      { secret },
    );
    expect(webhook).toEqual({
      messageId: "msg_1",
      timestamp: new Date(Math.floor(at / 1_000) * 1_000),
      payload: '{"a":1}',
      attempt: 2,
      targetId: "billing",
      originalDeliveryTime: "0001-11-14T09:30:00.000Z",
      scheduleId: "weekday-digest",
      runTime: "0001-11-14T09:30:00.000Z",
      json: expect.any(Function),
    });
    expect(webhook.json<{ a: number }>().a).toBe(1);
  });

  test("null for what another sender does not say", async () => {
    const nothing = {
      ...{ attempt: null, targetId: null, originalDeliveryTime: null },
      ...{ scheduleId: null, runTime: null },
    };
    expect(await verify(signedRequest(), { secret })).toMatchObject(nothing);
    const headers = { "postdate-attempt": "first" };
    expect(await verify(signedRequest({}, { headers }), { secret })).toMatchObject(nothing);
  });

  test("a payload that is not JSON says so", async () => {
    const webhook = await verify(signedRequest({ body: "no" }), { secret });
    expect(() => webhook.json()).toThrow(SyntaxError);
  });

  test.each(["", "\uFEFFmarked", "a\u0000b\u2028😀", "x".repeat(61_440), "😀".repeat(61_440)])(
    "every character of the payload (%#)",
    async (body) => {
      const { payload } = await verify(signedRequest({ body }), { secret });
      expect(payload === body).toBe(true);
    },
  );
});

describe("what it takes", () => {
  const bytes = Buffer.from("[hello]");
  test.each([
    ["a string", "hello"],
    ["a buffer", Buffer.from("hello")],
    ["a part of a buffer", bytes.subarray(1, 6)],
    ["an array buffer", new TextEncoder().encode("hello").buffer],
    ["a view", new DataView(bytes.buffer, bytes.byteOffset + 1, 5) as unknown as Uint8Array],
  ])("%s", async (_what, body) => {
    const { payload } = await verify({ headers: signedHeaders(), body }, { secret });
    expect(payload).toBe("hello");
  });

  test.each([
    ["Headers", (headers: Record<string, string>) => new Headers(headers)],
    [
      "a record whose names have capitals",
      (headers: Record<string, string>) =>
        Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
        ),
    ],
    [
      "lists of values",
      (headers: Record<string, string>) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ],
    ["a map", (headers: Record<string, string>) => new Map(Object.entries(headers)) as never],
  ])("headers as %s", async (_what, shaped) => {
    const { messageId } = await verify(
      { headers: shaped(signedHeaders()), body: "hello" },
      { secret },
    );
    expect(messageId).toBe("msg_1");
  });

  test("a header that is repeated, as HTTP joins it", async () => {
    const headers = signedHeaders({ secrets: [otherSecret, secret] });
    headers["webhook-signature"] = headers["webhook-signature"]!.replace(" ", ", ");
    await expect(verify({ headers, body: "hello" }, { secret })).resolves.toBeDefined();
  });
});

describe("while a secret rotates", () => {
  test("the signatures may be a list of headers", async () => {
    const headers = signedHeaders({ secrets: [otherSecret, secret] });
    const signatures = headers["webhook-signature"]!.split(" ");
    const verified = verify(
      { headers: { ...headers, "webhook-signature": signatures }, body: "hello" },
      { secret },
    );
    await expect(verified).resolves.toBeDefined();
  });

  test.each([
    ["a receiver with both", [secret], [otherSecret, secret]],
    ["a receiver with the new one", [secret, otherSecret], [secret]],
    ["a receiver with the old one", [secret, otherSecret], [otherSecret]],
    ["a receiver whose second variable is not set", [secret], [secret, undefined, ""]],
  ])("%s accepts", async (_who, secrets, known) => {
    await expect(verify(signedRequest({ secrets }), { secret: known })).resolves.toBeDefined();
  });
});

describe("what it refuses", () => {
  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("no %s", async (name) => {
    const headers = signedHeaders();
    delete headers[name];
    const error = await failureOf(verify({ headers, body: "hello" }, { secret }));
    expect(error).toMatchObject({ reason: "missing-header", name: "VerificationError" });
    expect(error).toBeInstanceOf(PostdateError);
    expect(error.message).toContain(name);
    await expectFailure(
      verify({ headers: { ...headers, [name]: "" }, body: "hello" }, { secret }),
      "missing-header",
    );
  });

  test("an id with a full stop, which would let the body begin elsewhere", async () => {
    const at = Date.now();
    const signed = signedHeaders({ messageId: "msg_1", at, body: `${Math.floor(at / 1_000)}.x` });
    const seconds = signed["webhook-timestamp"]!;
    const headers = { ...signed, "webhook-id": `msg_1.${seconds}` };
    await expectFailure(verify({ headers, body: "x" }, { secret }), "bad-header");
  });

  test.each(["soon", "1e9", "-5", "0x10", "1700000000.5", " ", "9".repeat(400)])(
    "the timestamp %j",
    async (timestamp) => {
      const headers = { ...signedHeaders(), "webhook-timestamp": timestamp };
      await expectFailure(verify({ headers, body: "hello" }, { secret }), "bad-header");
    },
  );

  test.each([
    [300_999, undefined, null],
    [301_000, undefined, "too-old"],
    [-300_000, undefined, null],
    [-300_001, undefined, "too-new"],
    [1_000, 1_000, null],
    [2_000, 1_000, "too-old"],
    [999, 0, null],
    [1_000, 0, "too-old"],
    [1e12, Number.POSITIVE_INFINITY, null],
  ] as const)("%d ms old with a tolerance of %s: %s", async (ageMs, toleranceMs, reason) => {
    const at = 1_700_000_000_000;
    const verified = verify(signedRequest({ at }), {
      secret,
      now: () => at + ageMs,
      ...(toleranceMs === undefined ? {} : { toleranceMs }),
    });
    if (reason === null) await expect(verified).resolves.toBeDefined();
    else await expectFailure(verified, reason);
  });

  test.each([
    ["another body", { body: "hellO" }],
    ["another id", { headers: { "webhook-id": "msg_2" } }],
    [
      "another time",
      { headers: { "webhook-timestamp": String(Math.floor(Date.now() / 1_000) + 99) } },
    ],
    ["another version", { headers: { "webhook-signature": "v2,aGVsbG8=" } }],
    ["no signature in the header", { headers: { "webhook-signature": "v1," } }],
    ["a signature that is cut", { headers: { "webhook-signature": "v1,aGVs" } }],
  ])("%s", async (_what, init) => {
    await expectFailure(verify(signedRequest({}, init), { secret }), "no-match");
  });

  test("a signature of another version, with the right bytes", async () => {
    const headers = signedHeaders();
    headers["webhook-signature"] = headers["webhook-signature"]!.replace("v1,", "v1a,");
    await expectFailure(verify({ headers, body: "hello" }, { secret }), "no-match");
  });

  test("a signature made with another secret", async () => {
    await expectFailure(verify(signedRequest(), { secret: otherSecret }), "no-match");
  });

  test.each([
    ["none", undefined],
    ["an empty one", ""],
    ["an empty list", []],
    ["a list of nothing", [undefined, ""]],
    ["an API key", "pd_live_0123456789"],
    ["a prefix alone", "whsec_"],
    ["a short one", `whsec_${Buffer.alloc(23).toString("base64")}`],
    ["a bad one behind a good one", [secret, "whsec_!"]],
  ])("as a secret: %s", async (_what, given) => {
    const error = await failureOf(verify(signedRequest(), { secret: given }));
    expect(error.reason).toBe("bad-secret");
    expect(error.message).not.toContain("pd_live");
  });

  test("a secret's bytes are the same without the prefix and with a line's end", async () => {
    const bare = `${secret.slice("whsec_".length)}\n`;
    await expect(verify(signedRequest(), { secret: bare })).resolves.toBeDefined();
  });

  test("everything, if an option is no number", async () => {
    const nothing = Number.NaN;
    await expectFailure(verify(signedRequest(), { secret, toleranceMs: nothing }), "too-old");
    await expectFailure(verify(signedRequest(), { secret, maxBodyBytes: nothing }), "too-large");
  });
});

describe("a body that is no longer raw", () => {
  test.each([
    ["an object", { a: 1 }],
    ["a number", 1],
    ["nothing", undefined],
  ])("%s: the error names the cure", async (_what, body) => {
    const request = { headers: signedHeaders(), body: body as never };
    const { reason, message } = await failureOf(verify(request, { secret }));
    expect(reason).toBe("parsed-body");
    for (const cure of ["expressReceiver", "fastifyReceiver", "route.ts"])
      expect(message).toContain(cure);
  });

  test("a request that was read", async () => {
    const request = signedRequest();
    await request.text();
    await expectFailure(verify(request, { secret }), "parsed-body");
  });

  test("a request that somebody is reading", async () => {
    const request = signedRequest();
    request.body!.getReader();
    await expectFailure(verify(request, { secret }), "parsed-body");
  });
});

describe("a body that is too large", () => {
  const body = "x".repeat(100);

  test.each([
    ["in memory", () => ({ headers: signedHeaders({ body }), body })],
    ["of a request", () => signedRequest({ body })],
  ])("%s", async (_what, request) => {
    await expect(verify(request(), { secret, maxBodyBytes: 100 })).resolves.toBeDefined();
    await expectFailure(verify(request(), { secret, maxBodyBytes: 99 }), "too-large");
  });

  test("is read up to the bound, and then let go", async () => {
    let pulled = 0;
    let isCancelled = false;
    const stream = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const request = signedRequest({}, { body: stream, duplex: "half" });
    await expectFailure(verify(request, { secret }), "too-large");
    expect(isCancelled).toBe(true);
    expect(pulled).toBeLessThan(8);
  });
});

test("a body whose connection breaks", async () => {
  const stream = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
  const request = signedRequest({}, { body: stream, duplex: "half" });
  const error = await failureOf(verify(request, { secret }));
  expect(error).toMatchObject({ reason: "unreadable-body", cause: new Error("reset") });
});

test("a stranger's body is not read before the headers are in order", async () => {
  const request = signedRequest({ at: 0 });
  await expectFailure(verify(request, { secret }), "too-old");
  expect(request.bodyUsed).toBe(false);
});
