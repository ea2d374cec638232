import { beforeAll, describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { expectRefusal } from "../support/expectations.ts";
import { rawRequest } from "../support/raw-request.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";

const service = commonService();
let target: ScriptedTarget;
let message: { readonly messageId: string };
let good: Record<string, unknown>;
beforeAll(async () => {
  target = await service.target();
  message = await target.schedule({ deliveryTime: farAway });
  good = { targetId: target.targetId, deliveryTime: farAway, payload: "" };
});

const schedule = (body: unknown, headers: Record<string, string> = {}) =>
  service.api("POST", "/v1/messages", { body, headers });
const problem = (field?: string) => ({
  code: "E-DI-1001",
  ...(field === undefined ? {} : { field }),
});

describe("a body that is not a JSON object is E-DI-1001", () => {
  test.each([
    ...["{", "}", "{]", "nope", "'a'", "{'a':1}", '{"a":1,}', '{"a":}', '{"a" 1}', '{"a":01}'],
    ...[
      '{"a":NaN}',
      '{"a":"\n"}',
      '{"a":"\\x"}',
      "{}{}",
      '{"a":1} x',
      "\0",
      "undefined",
      "// x\n{}",
    ],
    ...["null", "true", "12", '"text"', "[]", '[{"targetId":"a"}]', " ", "\n"],
  ])("%j", async (body) => {
    for (const path of ["/v1/messages", "/v1/messages/batch", "/v1/targets", "/v1/keys"]) {
      expectRefusal(await service.api("POST", path, { body }), 400, problem());
    }
    const path = `/v1/messages/${message.messageId}/reschedule`;
    expectRefusal(await service.api("POST", path, { body }), 400, problem());
  });

  test("none at all", async () => {
    const headers = { "content-type": "application/json" };
    for (const path of ["/v1/messages", "/v1/messages/batch", "/v1/targets", "/v1/keys"]) {
      for (const call of [{}, { headers }]) {
        const answer = await service.api("POST", path, call);
        expect([path, answer.status, answer.body.errors[0].code]).toEqual([path, 400, "E-DI-1001"]);
      }
    }
  });
});

describe("a field of the wrong type is named", () => {
  const wrong = [5, 0, -1.5, true, false, null, [], ["a"], {}, { a: 1 }];
  test.each(["targetId", "deliveryTime", "payload"])("%s", async (field) => {
    for (const value of wrong) {
      expectRefusal(await schedule({ ...good, [field]: value }), 400, problem(field));
    }
  });

  test("deliveryTime of reschedule", async () => {
    const path = `/v1/messages/${message.messageId}/reschedule`;
    for (const deliveryTime of wrong) {
      const answer = await service.api("POST", path, { body: { deliveryTime } });
      expectRefusal(answer, 400, problem("deliveryTime"));
    }
    expectRefusal(await service.api("POST", path, { body: {} }), 400, problem("deliveryTime"));
  });

  test.each(["targetId", "deliveryTime", "payload"])("%s left out", async (field) => {
    expectRefusal(await schedule({ ...good, [field]: undefined }), 400, problem(field));
  });
});

describe("one answer names all problems of a request", () => {
  test("nothing given", async () => {
    expectRefusal(
      await schedule({}),
      400,
      ...["targetId", "deliveryTime", "payload"].map((field) => problem(field)),
    );
  });

  test("every field has its own problem", async () => {
    const body = {
      targetId: "nobody",
      deliveryTime: "2996-02-30T00:00:00Z",
      payload: "a".repeat(61_441),
      extra: 1,
    };
    expectRefusal(
      await schedule(body, { "idempotency-key": "x".repeat(256) }),
      400,
      { code: "E-DI-3001", field: "targetId" },
      { code: "E-DI-1001", field: "deliveryTime" },
      { code: "E-DI-5002", field: "payload" },
      { code: "E-DI-1001", field: "extra" },
      { code: "E-DI-1001", field: "Idempotency-Key" },
    );
  });
});

test("one answer names all problems of a reschedule", async () => {
  const path = `/v1/messages/${message.messageId}/reschedule?foo=1`;
  const answer = await service.api("POST", path, { body: { deliveryTime: "soon", extra: 1 } });
  expectRefusal(answer, 400, problem("deliveryTime"), problem("extra"), problem("foo"));
});

describe("unknown fields are refused by name", () => {
  test.each(["extra", "TargetId", "messageId", "state", "", " payload", "😀"])(
    "%j",
    async (field) => {
      expectRefusal(await schedule({ ...good, [field]: "x" }), 400, problem(field));
    },
  );

  test("in reschedule", async () => {
    const path = `/v1/messages/${message.messageId}/reschedule`;
    const body = { deliveryTime: farAway, payload: "new" };
    expectRefusal(await service.api("POST", path, { body }), 400, problem("payload"));
  });

  test("in the query of any call", async () => {
    const calls: [string, string, unknown][] = [
      ["POST", "/v1/messages", good],
      ["GET", `/v1/messages/${message.messageId}`, undefined],
      ["GET", `/v1/messages/${message.messageId}/payload`, undefined],
      ["GET", `/v1/messages/${message.messageId}/attempts`, undefined],
      ["POST", `/v1/messages/${message.messageId}/cancel`, undefined],
      ["POST", `/v1/messages/${message.messageId}/reschedule`, { deliveryTime: farAway }],
      ["POST", "/v1/messages/batch", { messages: [good] }],
      ["GET", "/v1/targets", undefined],
      ["GET", `/v1/targets/${target.targetId}`, undefined],
      ["DELETE", `/v1/targets/${target.targetId}`, undefined],
      ["POST", `/v1/targets/${target.targetId}/pause`, undefined],
      ["GET", "/v1/keys", undefined],
    ];
    for (const [method, path, body] of calls) {
      const answer = await service.api(method, `${path}?foo=1`, { body });
      expectRefusal(answer, 400, problem("foo"));
    }
  });
});

describe("calls without a body", () => {
  test("refuse fields by name", async () => {
    const path = `/v1/messages/${message.messageId}/cancel`;
    expectRefusal(await service.api("POST", path, { body: { reason: 1 } }), 400, problem("reason"));
    const pause = `/v1/targets/${target.targetId}/pause`;
    expectRefusal(
      await service.api("POST", pause, { body: { paused: 1 } }),
      400,
      problem("paused"),
    );
    for (const body of ["[]", "null", "5", "{"]) {
      expectRefusal(await service.api("POST", path, { body }), 400, problem());
    }
  });

  test("accept no body, {} and an empty body with a JSON type", async () => {
    for (const call of [{}, { body: {} }, { headers: { "content-type": "application/json" } }]) {
      const { messageId } = await target.schedule({ deliveryTime: farAway });
      expect((await service.api("POST", `/v1/messages/${messageId}/cancel`, call)).status).toBe(
        200,
      );
    }
  });
});

describe("media type and size", () => {
  test("application/json in any spelling", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON",
      'application/json;charset="UTF-8"',
    ]) {
      expect((await schedule(good, { "content-type": type })).status).toBe(200);
    }
  });

  test("anything else is 415", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/xml",
      "x",
    ]) {
      expectRefusal(await schedule(good, { "content-type": type }), 415, { code: "E-DI-1003" });
    }
  });

  test("none is 415", async () => {
    const body = JSON.stringify(good);
    const answer = await rawRequest(
      service.url,
      `POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${service.key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 415 /);
    expect(answer).toMatch(/"code":"E-DI-1003"/);
  });

  test("a body far beyond the longest payload is 413", async () => {
    const body = { ...good, payload: "a".repeat(4 * 1024 * 1024) };
    expectRefusal(await schedule(body), 413, { code: "E-DI-1003" });
  });

  test("a body without a length is 413 too", async () => {
    const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    // Longer than the bound, and short enough for the server to read to its end: nobody is cut off while it sends.
    const chunk = `80000\r\n${" ".repeat(0x80000)}\r\n`;
    const answer = await rawRequest(service.url, `${head}${chunk.repeat(3)}0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toMatch(/"code":"E-DI-1003"/);
  });
});
