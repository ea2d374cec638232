import { beforeAll, describe, expect, test } from "vitest";
import { expectProblems, expectRefusal } from "../support/expectations.ts";
import { rawRequest } from "../support/raw-request.ts";
import { rootKey } from "../support/server-process.ts";
import { farAway, patiently } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";
import type { Subject } from "./subject.ts";

const url = "https://hooks.example.com/in";

const badNames = [
  ...["a\r\nx-injected: 1", "a\nb", "a\rb", "a\0b", "a:b", "a:", ":a", "a b", " a", "a ", "a\tb"],
  ...[
    "",
    "\u007f",
    "\u001b[31m",
    "ä",
    "x-😀",
    "a\u2028b",
    "(a)",
    'a"b',
    "a,b",
    "a;b",
    "{a}",
    "a/b",
  ],
];

/** Headers that frame a request, that concern one hop only, or that the service sets itself. */
const reservedNames = [
  ...["Host", "host", "HOST", "Content-Length", "content-length", "Transfer-Encoding"],
  ...["TRANSFER-ENCODING", "Connection", "Keep-Alive", "Upgrade", "Expect", "TE", "te", "Trailer"],
  ...["Proxy-Authorization", "proxy-connection", "Content-Type", "content-TYPE", "Webhook-Id"],
  ...[
    "webhook-id",
    "webhook-timestamp",
    "WEBHOOK-SIGNATURE",
    "webhook-anything",
    "Postdate-Attempt",
  ],
  ...["postdate-target", "POSTDATE-Original-Delivery-Time", "postdate-x", "__proto__"],
];

const badValues = [
  ...[
    "a\r\nx-injected: 1",
    "a\r\n\r\nGET / HTTP/1.1",
    "a\nb",
    "a\rb",
    "a\0b",
    "\r\n",
    "\0",
    "a\u007f",
  ],
  ...[
    "\u001b]0;x\u0007",
    "é",
    "日本",
    "😀",
    "a\u0085b",
    "a\u2028b",
    "č\u010d\u010a",
    " a",
    "a ",
    "\ta",
  ],
];

const badContentTypes = [
  ...[
    "a/b\r\nx-injected: 1",
    "a/b\n",
    "a/b\0",
    "a/b; c=\r\n d",
    "a/b; é=1",
    "a/b, c/d",
    "a b/c",
    "/",
  ],
  ...["a/b\r\n\r\nsmuggled", "text/plain; charset=\u2028", "\r\na/b", " a/b"],
];

const legalHeaders = {
  "!#$%&'*+-.^_`|~09azAZ": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
  "x-escaped": "%0d%0aX-Injected:%201\\r\\nX-Injected: 1",
  "x-tabs": "a\tb\t\tc  d",
  "x-empty": "",
  Authorization: 'Bearer "><script>',
  "X-Forwarded-For": "127.0.0.1, ::1",
  Cookie: "a=b; c=d",
  constructor: "1",
  prototype: "2",
};
const legalContentType = 'text/plain; a="\\"b"; charset=utf-8';

// oxlint-disable-next-line no-control-regex -- they are what must not be there
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/;

/** CR, LF and similar characters in anything that is sent as a header or answered. */
export function injectionSuite({ service }: Subject): void {
  let before: unknown;
  let made = 0;
  beforeAll(async () => {
    await service.ok("POST", "/v1/targets", { body: { targetId: "uninjected", url } });
    before = await service.ok("GET", "/v1/targets/uninjected");
  });

  const expectRefused = async (change: unknown, field: string): Promise<void> => {
    const problem = { code: "E-DI-1001", field };
    const parts = JSON.stringify(change).slice(1);
    const targetId = `never-${++made}`;
    const created = await service.api("POST", "/v1/targets", {
      body: `{"targetId":"${targetId}","url":"${url}",${parts}`,
    });
    expectRefusal(created, 400, problem);
    const path = "/v1/targets/uninjected";
    expectRefusal(await service.api("PATCH", path, { body: `{${parts}` }), 400, problem);
    expect(await service.ok("GET", path)).toStrictEqual(before);
    expect((await service.api("GET", `/v1/targets/${targetId}`)).status).toBe(404);
  };

  describe("headers of a target", () => {
    test.each([...badNames, ...reservedNames])("not the name %j", (name) =>
      expectRefused({ headers: { [name]: "1" } }, `headers.${name}`),
    );

    test.each(badValues)("not the value %j", (value) =>
      expectRefused({ headers: { "x-a": value } }, "headers.x-a"),
    );

    test.each(badContentTypes)("not the content type %j", (contentType) =>
      expectRefused({ contentType }, "contentType"),
    );

    test("legal headers arrive exactly as set, and no others", async () => {
      const contentType = legalContentType;
      const target = await service.target({ headers: legalHeaders, contentType });
      const { messageId } = await target.schedule();
      const [receipt] = await target.received(1);
      const lower = Object.entries(legalHeaders).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ]);
      expect(receipt?.headers).toStrictEqual({
        ...Object.fromEntries(lower),
        "content-type": contentType,
        "content-length": "5",
        host: new URL(service.receiver.url).host,
        connection: "keep-alive",
        "user-agent": expect.stringMatching(/^Postdate\/\d/),
        "webhook-id": messageId,
        "webhook-timestamp": expect.stringMatching(/^\d+$/),
        "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/=]+$/),
        "postdate-attempt": "1",
        "postdate-target": target.targetId,
        "postdate-original-delivery-time": "2020-01-01T00:00:00.000Z",
      });
    });
  });

  describe("headers of an event endpoint", () => {
    const events = "/v1/event-endpoints";
    beforeAll(async () => {
      const body = { endpointId: "uninjected", kind: "webhook", url, types: ["endpoint.*"] };
      expect((await service.api("POST", events, { body })).status).toBe(201);
    });

    const expectRefusedForEvents = async (headers: object, field: string): Promise<void> => {
      const problem = { code: "E-DI-1001", field };
      const parts = JSON.stringify({ headers }).slice(1);
      const created = await service.api("POST", events, {
        body: `{"kind":"webhook","url":"${url}",${parts}`,
      });
      expectRefusal(created, 400, problem);
      const path = `${events}/uninjected`;
      expectRefusal(await service.api("PATCH", path, { body: `{${parts}` }), 400, problem);
      expect((await service.ok("GET", path)).headers).toEqual({});
    };

    test.each([...badNames, ...reservedNames])("not the name %j", (name) =>
      expectRefusedForEvents({ [name]: "1" }, `headers.${name}`),
    );

    test.each(badValues)("not the value %j", (value) =>
      expectRefusedForEvents({ "x-a": value }, "headers.x-a"),
    );
  });

  describe("headers of a message", () => {
    let target: ScriptedTarget;
    beforeAll(async () => {
      target = await service.target();
    });

    const expectRefusedForMessage = async (change: object, field: string): Promise<void> => {
      const plain = { targetId: target.targetId, deliveryTime: farAway, payload: "" };
      const parts = JSON.stringify(change).slice(1);
      const text = `${JSON.stringify(plain).slice(0, -1)},${parts}`;
      const single = await service.api("POST", "/v1/messages", { body: text });
      expectRefusal(single, 400, { code: "E-DI-1001", field });
      const batch = await service.api("POST", "/v1/messages/batch", {
        body: `{"messages":[${text}]}`,
      });
      expect(batch.status, batch.text).toBe(200);
      expectProblems(batch.body.results[0].errors, [{ code: "E-DI-1001", field }]);
      const list = `/v1/targets/${target.targetId}/scheduled-messages`;
      expect((await service.ok("GET", list)).count).toBe(0);
    };

    test.each([...badNames, ...reservedNames])("not the name %j", (name) =>
      expectRefusedForMessage({ headers: { [name]: "1" } }, `headers.${name}`),
    );

    test.each(badValues)("not the value %j", (value) =>
      expectRefusedForMessage({ headers: { "x-a": value } }, "headers.x-a"),
    );

    test.each(badContentTypes)("not the content type %j", (contentType) =>
      expectRefusedForMessage({ contentType }, "contentType"),
    );

    test("legal ones arrive exactly as set", async () => {
      const own = await service.target();
      await own.schedule({ headers: legalHeaders, contentType: legalContentType });
      const [receipt] = await own.received(1);
      const lower = Object.entries(legalHeaders).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ]);
      expect(receipt?.headers).toMatchObject({
        ...Object.fromEntries(lower),
        "content-type": legalContentType,
        "content-length": "5",
      });
    });
  });

  describe("answers", () => {
    const smuggled = "%0d%0aX-Injected:%201%0d%0a%0d%0a";
    const answerTo = (line: string, ...headers: readonly string[]): Promise<string> =>
      rawRequest(
        service.server.url,
        [
          `${line} HTTP/1.1`,
          ...["Host: x", "Connection: close", `Authorization: Bearer ${rootKey}`],
          ...headers,
          "\r\n",
        ].join("\r\n"),
      );
    const expectClean = (answer: string, status: number): void => {
      const [head = "", ...rest] = answer.split("\r\n\r\n");
      expect(head, answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).not.toMatch(/^x-injected/im);
      expect(rest).toHaveLength(1);
    };

    test.each([
      [`GET /v1/messages/${smuggled}`, 404],
      [`GET /v1/targets/${smuggled}`, 404],
      [`GET /v1/targets/${smuggled}/scheduled-messages`, 200],
      [`GET /v1/messages?label=a:${smuggled}`, 400],
      [`GET /v1/messages?state=${smuggled}`, 400],
      [`GET /v1/messages?targetId=${smuggled}`, 400],
      [`GET /v1/stats?${smuggled}=1`, 400],
      [`GET /v1/stats/activity?targetId=${smuggled}`, 400],
      [`GET /v1/stats/targets?targetId=${smuggled}`, 400],
      [`GET /v1/forecast?targetId=${smuggled}`, 400],
      [`GET /v1/forecast?bucket=${smuggled}`, 400],
      [`GET /v1/forecast?minTime=${smuggled}`, 400],
      [`GET /v1/dead-letters/groups?targetId=${smuggled}`, 400],
      [`GET /v1/clients/${smuggled}`, 404],
      [`DELETE /v1/keys/${smuggled}`, 404],
      [`POST /v1/messages/${smuggled}/cancel`, 400],
      [`GET /v1/jobs/${smuggled}`, 404],
      [`POST /v1/jobs/${smuggled}/stop`, 404],
      [`POST /v1/targets/${smuggled}/dead-letters/redrive`, 404],
      [`DELETE /v1/targets/nobody?messages=${smuggled}`, 400],
      [`GET /v1/event-endpoints/${smuggled}`, 404],
      [`GET /v1/event-endpoints/${smuggled}/events`, 404],
      [`GET /v1/event-endpoints/${smuggled}/stream`, 404],
      [`GET /v1/event-endpoints/nobody/events?after=${smuggled}`, 400],
      [`GET /v1/event-endpoints/nobody/stream?from=${smuggled}`, 400],
      [`GET /v1/event-endpoints/nobody/stream?${smuggled}=1`, 400],
      [`GET /v1/targets?pageToken=${smuggled}`, 400],
      [`GET /v1/targets?limit=1${smuggled}`, 400],
      [`GET /v1/targets?${smuggled}=1`, 400],
      [`GET /v1/audit-log?minTime=${smuggled}`, 400],
      [`GET /${smuggled}`, 404],
      [`GET /docs?${smuggled}`, 301],
      [`GET //hooks.example.com/${smuggled}`, 404],
      [`PUT /v1/targets/${smuggled}`, 405],
    ])("%s: %i", async (line, status) => {
      expectClean(await answerTo(line), status);
    });

    test.each([
      ["a\tb", 404],
      ["a b", 404],
      ["\x85\x9b31m", 404],
      ["a%0d%0aX-Injected: 1", 404],
      ["a".repeat(129), 404],
      ["\u00e9", 404],
      ["<script>", 404],
    ])("x-request-id %j is not repeated: %i", async (id, status) => {
      const answer = await answerTo("GET /v1/targets/nobody", `X-Request-Id: ${id}`);
      expectClean(answer, status);
      expect(answer).toMatch(/^x-request-id: req_[\w-]+\r$/m);
    });

    test.each(["a\rb", "a\0b", "a\nb", "a\x7fb", "a\r\n b\r\n\tc"])(
      "a request with %j in a header is refused",
      async (value) => {
        for (const name of ["X-Request-Id", "Idempotency-Key", "Authorization", "X-Any"]) {
          const answer = await answerTo("GET /v1/targets/nobody", `${name}: ${value}`);
          expectClean(answer, 400);
          expect(answer).toContain('"code":"E-DI-1001"');
        }
      },
    );

    test.each(["a b", "a\tb", "\u00e9", "\x80", " ", "x".repeat(256)])(
      "the idempotency key %j is refused",
      async (key) => {
        const target = await service.target();
        const body = { targetId: target.targetId, deliveryTime: farAway, payload: "" };
        const text = JSON.stringify(body);
        const bytes = Buffer.from(
          [
            "POST /v1/messages HTTP/1.1",
            ...["Host: x", "Connection: close", `Authorization: Bearer ${rootKey}`],
            "Content-Type: application/json",
            `Content-Length: ${text.length}`,
            `Idempotency-Key: ${key}`,
            "",
            text,
          ].join("\r\n"),
          "latin1",
        );
        const answer = await rawRequest(service.server.url, bytes);
        expectClean(answer, 400);
        expect(answer).toMatch(/"field":"Idempotency-Key"/);
        const list = `/v1/targets/${target.targetId}/scheduled-messages`;
        expect((await service.ok("GET", list)).count).toBe(0);
      },
    );

    test.each(["a\r\nb", "a\nb", "a\0b", "\u001b[2J", "a b", "é", "\u007f", "\ud83d", ""])(
      "the idempotency key %j of a message of a batch is refused",
      async (idempotencyKey) => {
        const target = await service.target();
        const item = { targetId: target.targetId, deliveryTime: farAway, payload: "" };
        const { status, body } = await service.api("POST", "/v1/messages/batch", {
          body: { messages: [{ ...item, idempotencyKey }] },
        });
        expect(status).toBe(200);
        for (const { code, field } of body.results[0].errors) {
          expect([code, field]).toEqual(["E-DI-1001", "idempotencyKey"]);
        }
        const list = `/v1/targets/${target.targetId}/scheduled-messages`;
        expect((await service.ok("GET", list)).count).toBe(0);
      },
    );

    test.each(["a\r\nb", "a\nb", "a\0b", "\u001b[2J", "a b", "é", "%0d%0a", "../x"])(
      "the target id %j is refused",
      async (targetId) => {
        const made = await service.api("POST", "/v1/targets", { body: { targetId, url } });
        expectRefusal(made, 400, { code: "E-DI-1001", field: "targetId" });
        const body = { targetId, deliveryTime: farAway, payload: "" };
        const scheduled = await service.api("POST", "/v1/messages", { body });
        expectRefusal(scheduled, 400, { code: "E-DI-3001", field: "targetId" });
        const job = { action: "cancel", filter: { targetId } };
        const created = await service.api("POST", "/v1/jobs", { body: job });
        expectRefusal(created, 400, { code: "E-DI-3001", field: "filter.targetId" });
      },
    );

    test.each(["a\r\nb", "a\nb", "a\0b", "\u001b[2J", "\u007f", "\ud83d"])(
      "the note %j of a job is refused",
      async (note) => {
        const { targetId } = await service.target();
        const body = { action: "cancel", filter: { targetId }, note };
        const answer = await service.api("POST", "/v1/jobs", { body });
        expectRefusal(answer, 400, { code: "E-DI-1001", field: "note" });
      },
    );
  });

  test("texts of callers add no lines and no escapes to the log", async () => {
    const hostile = 'x\u009b31m\u2028{"level":"fatal","msg":"forged"}\u202etxt.exe';
    await service.ok("POST", "/v1/keys", {
      body: { name: hostile, scopes: ["scheduler.all.read"] },
    });
    await service.api("GET", "/v1/messages/%0a%7b%22level%22%3a%22fatal%22%7d");
    await rawRequest(service.server.url, '\n{"level":"fatal","msg":"forged"}\n\u001b[31m\r\n\r\n');
    const { headers } = await service.api("GET", "/v1/keys?last=1");
    const last = String(headers.get("x-request-id"));
    await expect.poll(() => service.server.output(), patiently).toContain(last);
    const written = service.server.output();
    expect(written).not.toMatch(controls);
    const lines = written.split("\n").filter((line) => line !== "");
    expect(lines.map((line) => JSON.parse(line).level)).not.toContain("fatal");
  });
}
