import { describe, expect, test } from "vitest";
import { Reject, RetryLater, VerificationError } from "@postdate/client/node";
import type { Handler, ReceiveOptions, Webhook } from "@postdate/client/node";
import { commonService } from "../../../server/test/support/common-service.ts";
import { frameworks, parsing } from "./frameworks.ts";
import type { Framework } from "./frameworks.ts";

const service = commonService();

interface Attempt {
  readonly statusCode: number | null;
  readonly response: string | null;
}

interface Receiving {
  readonly targetId: string;
  readonly seen: readonly Webhook[];
  schedule(payload: string): Promise<string>;
}

/** A real target whose receiver runs in this framework. */
async function receiving(
  framework: Framework,
  handler: Handler,
  settings: Readonly<Record<string, unknown>> = {},
  options: Partial<ReceiveOptions> = {},
): Promise<Receiving> {
  const seen: Webhook[] = [];
  let secret: string;
  const url = await framework(
    {
      get secret() {
        return secret;
      },
      ...options,
    },
    async (webhook) => {
      seen.push(webhook);
      await handler(webhook);
    },
  );
  const target = await service.target({ url: `${url}/hook`, ...settings });
  ({ secret } = target);
  return {
    targetId: target.targetId,
    seen,
    schedule: async (payload) => (await target.schedule({ payload })).messageId,
  };
}

const awkward = "\uFEFFa\u0000b\u2028😀";

describe.each(Object.entries(frameworks))("%s", (name, framework) => {
  test("a delivery arrives, and is verified", async () => {
    const { targetId, seen, schedule } = await receiving(framework, () => {});
    const messageId = await schedule('{"orderId":7}');
    await service.reaches(messageId, "DELIVERED");
    expect(seen).toMatchObject([{ messageId, targetId, attempt: 1, payload: '{"orderId":7}' }]);
    expect(seen[0]!.json()).toEqual({ orderId: 7 });
    expect(seen[0]!.originalDeliveryTime).toBe("2020-01-01T00:00:00.000Z");
  });

  test("JSON, nothing and awkward characters arrive as they are", async () => {
    const { seen, schedule } = await receiving(framework, () => {}, {
      contentType: "application/json",
    });
    // A parser of JSON in front refuses the others before the receiver sees them.
    const isJsonAlone = name.endsWith("keeps rawBody");
    // Express decodes a text, and drops a byte order mark with that.
    const text = name.endsWith("express.text") ? awkward.slice(1) : awkward;
    for (const payload of isJsonAlone ? ["[1]", "null"] : ["[1]", "", text]) {
      await service.reaches(await schedule(payload), "DELIVERED");
      expect(seen.at(-1)!.payload).toBe(payload);
    }
  });

  test("what the handler throws decides what becomes of the message", async () => {
    const handled: Record<string, Handler> = {
      '"reject"': () => Promise.reject(new Reject("never again")),
      '"later"': ({ attempt }) =>
        attempt === 1 ? Promise.reject(new RetryLater(0)) : Promise.resolve(),
      '"fail"': () => Promise.reject(new Error("not for the sender")),
    };
    const { schedule } = await receiving(
      framework,
      async (webhook) => handled[webhook.payload]!(webhook),
      {},
      { onError: () => {} },
    );
    const outcome = async (payload: string, state: string) => {
      const messageId = await schedule(payload);
      await service.reaches(messageId, state);
      const { attempts } = await service.ok("GET", `/v1/messages/${messageId}/attempts`);
      return attempts.map(({ statusCode, response }: Attempt) => [statusCode, response]);
    };
    expect(await outcome('"reject"', "DEAD_LETTER")).toEqual([[410, "never again"]]);
    expect(await outcome('"later"', "DELIVERED")).toEqual([
      [503, null],
      [204, null],
    ]);
    const failed = [500, "The receiver failed."];
    expect(await outcome('"fail"', "DEAD_LETTER")).toEqual([failed, failed]);
  });

  test("a forged request does not reach the handler, nor does a large one", async () => {
    const errors: unknown[] = [];
    const url = await framework(
      {
        secret: `whsec_${Buffer.alloc(32).toString("base64")}`,
        maxBodyBytes: 10,
        onError: (error) => void errors.push(error),
      },
      () => expect.fail("the handler ran"),
    );
    const headers = {
      "content-type": "text/plain",
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
      "webhook-signature": "v1,aGVsbG8=",
    };
    const post = (body: RequestInit["body"]) =>
      fetch(`${url}/hook`, { method: "POST", headers, body: body!, duplex: "half" });
    expect((await post('"short"')).status).toBe(401);
    expect((await post('"0123456789"')).status).toBe(413);
    expect(errors).toMatchObject([{ reason: "no-match" }, { reason: "too-large" }]);
  });
});

describe.each(Object.entries(parsing))("%s", (_name, framework) => {
  test("the message is not lost, and the error names the cure", async () => {
    const errors: unknown[] = [];
    const { seen, schedule } = await receiving(
      framework,
      () => {},
      { contentType: "application/json", retryPolicy: { maxAttempts: 5 } },
      { onError: (error) => void errors.push(error) },
    );
    const messageId = await schedule("[1]");
    await expect.poll(() => errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(VerificationError);
    expect(errors[0]).toMatchObject({
      reason: "parsed-body",
      message: expect.stringContaining("Put expressReceiver before express.json()"),
    });
    expect(seen).toEqual([]);
    expect(await service.reaches(messageId, "SCHEDULED")).toBeDefined();
  });
});
