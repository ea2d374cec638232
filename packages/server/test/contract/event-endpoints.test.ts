import { eventTypePatterns, eventTypes as contractTypes } from "@postdate/contract";
import { beforeEach, describe, expect, test } from "vitest";
import { eventTypes, isTypePattern } from "../../src/domain/events/event-types.ts";
import { commonService } from "../support/common-service.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import type { TestAccount } from "../support/operated-service.ts";
import { held, status } from "../support/shared-service.ts";

const service = commonService();
const publicUrl = "https://hooks.example.com/in";
const path = "/v1/event-endpoints";
let account: TestAccount;
beforeEach(async () => {
  account = await service.account();
});

const call = (method: string, where: string, body?: unknown) =>
  service.api(method, path + where, { key: account.key, ...(body !== undefined && { body }) });
const create = (body: object) => call("POST", "", body);
const made = async (body: object) => {
  const answer = await create(body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};

const stream = {
  endpointId: "live",
  kind: "stream",
  types: null,
  targetIds: null,
  labels: null,
  paused: false,
  disabledTime: null,
  creationTime: anyInstant,
  updateTime: anyInstant,
  revision: 1,
};
const webhook = {
  ...stream,
  endpointId: "told",
  kind: "webhook",
  url: publicUrl,
  headers: {},
  maxBatch: 1,
  progress: {
    position: expect.stringMatching(/^[\w-]+$/),
    behind: 0,
    failures: 0,
    retryTime: null,
    lastError: null,
    lastSuccessTime: null,
  },
};
const quiet = { types: ["endpoint.disabled"] };

test("the contract lists the types of the service", () => {
  expect(contractTypes).toEqual(eventTypes);
  const nouns = new Set(eventTypes.map((type) => `${type.split(".")[0]}.*`));
  expect([...eventTypePatterns]).toEqual([...nouns]);
  for (const pattern of eventTypePatterns) expect(isTypePattern(pattern)).toBe(true);
});

describe("creating", () => {
  test("a stream has no settings and no secret", async () => {
    expect(await made({ endpointId: "live", kind: "stream" })).toStrictEqual(stream);
    expect((await call("GET", "/live")).body).toStrictEqual(stream);
  });

  test("a webhook shows its secret once, and never a header value", async () => {
    const headers = { authorization: "Bearer upstream" };
    const given = { endpointId: "told", kind: "webhook", url: publicUrl, headers, maxBatch: 7 };
    const answer = await create(given);
    const shown = { ...webhook, headers: { authorization: "set" }, maxBatch: 7 };
    expect(answer.body).toStrictEqual({
      ...shown,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect((await call("GET", "/told")).body).toStrictEqual(shown);
    expect((await call("GET", "")).body.items).toStrictEqual([shown]);
  });

  test("a filter is kept as it was given", async () => {
    const filter = {
      types: ["message.*", "job.ended"],
      targetIds: ["orders", "not-there-yet"],
      labels: { order: "4711" },
    };
    expect(await made({ endpointId: "live", kind: "stream", ...filter })).toStrictEqual({
      ...{ ...stream, ...filter },
    });
    const nulls = { types: null, targetIds: null, labels: null };
    expect(await made({ endpointId: "all", kind: "stream", ...nulls })).toMatchObject(nulls);
    expect((await made({ kind: "stream", labels: {} })).labels).toBeNull();
  });

  test("without an id, a new one is generated", async () => {
    const { endpointId } = await made({ kind: "stream" });
    expect(endpointId).toMatch(/^evp_[0-9a-z]{20}$/);
  });

  test.each([
    [{}, "kind"],
    [{ kind: "queue" }, "kind"],
    [{ kind: "stream", endpointId: "a b" }, "endpointId"],
    [{ kind: "stream", types: [] }, "types"],
    [{ kind: "stream", types: ["message.lost"] }, "types[0]"],
    [{ kind: "stream", types: ["*"] }, "types[0]"],
    [{ kind: "stream", types: ["message.dead*"] }, "types[0]"],
    [{ kind: "stream", targetIds: [] }, "targetIds"],
    [{ kind: "stream", targetIds: ["a/b"] }, "targetIds[0]"],
    [{ kind: "stream", labels: { A: "b" } }, "labels.A"],
    [{ kind: "stream", labels: { a: "" } }, "labels.a"],
    [{ kind: "stream", url: publicUrl }, "url"],
    [{ kind: "stream", headers: {} }, "headers"],
    [{ kind: "stream", maxBatch: 2 }, "maxBatch"],
    [{ kind: "stream", secret: `whsec_${"A".repeat(43)}=` }, "secret"],
    [{ kind: "webhook" }, "url"],
    [{ kind: "webhook", url: "ftp://example.com/" }, "url"],
    [{ kind: "webhook", url: publicUrl, maxBatch: 0 }, "maxBatch"],
    [{ kind: "webhook", url: publicUrl, maxBatch: 101 }, "maxBatch"],
    [{ kind: "webhook", url: publicUrl, secret: "short" }, "secret"],
    [{ kind: "webhook", url: publicUrl, headers: { "x-a": "set" } }, "headers.x-a"],
    [{ kind: "webhook", url: publicUrl, paused: true }, "paused"],
  ])("%j is refused for its %s", async (body, field) => {
    expectRefusal(await create(body), 400, { code: "E-DI-1001", field });
    expect((await call("GET", "")).body.items).toEqual([]);
  });

  test("an id that cannot be one is answered in words", async () => {
    const answer = await create({ kind: "stream", endpointId: "a b", targetIds: ["a/b"] });
    expect(answer.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      "endpointId must be 1 to 64 letters, digits, _ and -.",
      "targetIds[0] must be 1 to 64 letters, digits, _ and -.",
    ]);
  });

  test("an address inside the network is refused, as for targets", async () => {
    const answer = await create({ kind: "webhook", url: "http://10.0.0.1/" });
    expectRefusal(answer, 400, { code: "E-DI-3005", field: "url" });
  });

  test("an id that exists is refused, and so is one endpoint more than ten", async () => {
    for (let count = 1; count <= 10; count++) {
      await made({ endpointId: `e${count}`, kind: "stream" });
    }
    expectRefusal(await create({ kind: "stream" }), 409, { code: "E-DI-8004" });
    const { body } = await call("DELETE", "/e10");
    expect(body).toStrictEqual({ ...stream, endpointId: "e10" });
    const again = await create({ endpointId: "e1", kind: "stream" });
    expectRefusal(again, 409, { code: "E-DI-8005", field: "endpointId" });
    await made({ kind: "stream" });
  });
});

test("lists are paged by endpointId", async () => {
  for (const endpointId of ["b", "C", "a"]) await made({ endpointId, kind: "stream" });
  const ids: string[] = [];
  let token = "";
  for (;;) {
    const { body } = await call("GET", `?limit=2${token}`);
    ids.push(...body.items.map((item: { endpointId: string }) => item.endpointId));
    if (body.nextPageToken === null) break;
    token = `&pageToken=${body.nextPageToken}`;
  }
  expect(ids).toEqual(["C", "a", "b"]);
});

describe("changing", () => {
  test("replaces what is given and keeps the rest", async () => {
    await made({ endpointId: "told", kind: "webhook", url: publicUrl, headers: { "x-a": "1" } });
    const types = ["message.dead_lettered"];
    const changed = await call("PATCH", "/told", { types, headers: { "x-a": "set", "x-b": "2" } });
    expect(changed.body).toStrictEqual({
      ...webhook,
      ...{ types, headers: { "x-a": "set", "x-b": "set" }, revision: 2 },
    });
    const back = await call("PATCH", "/told", { types: null, headers: null, maxBatch: null });
    expect(back.body).toStrictEqual({ ...webhook, revision: 3 });
    expect((await call("PATCH", "/told", {})).body).toStrictEqual({ ...webhook, revision: 3 });
  });

  test.each(["endpointId", "kind", "secret", "paused"])("%s is refused", async (field) => {
    await made({ endpointId: "live", kind: "stream" });
    const answer = await call("PATCH", "/live", { [field]: "stream" });
    expectRefusal(answer, 400, { code: "E-DI-1001", field });
  });

  test.each([{ url: publicUrl }, { headers: {} }, { maxBatch: 2 }])(
    "a stream takes no %j",
    async (body) => {
      await made({ endpointId: "live", kind: "stream" });
      expectRefusal(await call("PATCH", "/live", body), 409, { code: "E-DI-8003" });
    },
  );

  test("all problems are named together", async () => {
    await made({ endpointId: "told", kind: "webhook", url: publicUrl });
    const answer = await call("PATCH", "/told", { types: ["x"], url: "nowhere", maxBatch: 0 });
    expectRefusal(
      answer,
      400,
      ...["types[0]", "url", "maxBatch"].map((field) => ({ code: "E-DI-1001", field })),
    );
  });
});

describe("what only webhooks know", () => {
  const rewind = { to: "2020-01-01T00:00:00Z" };

  test.each([
    ["pause", undefined],
    ["resume", undefined],
    ["test", undefined],
    ["rotate-secret", undefined],
    ["rewind", rewind],
  ])("a stream has no %s, and nobody's endpoint neither", async (action, body) => {
    await made({ endpointId: "live", kind: "stream" });
    expectRefusal(await call("POST", `/live/${action}`, body), 409, { code: "E-DI-8003" });
    expectRefusal(await call("POST", `/nobody/${action}`, body), 404, { code: "E-DI-8001" });
  });

  test("a paused webhook is sent nothing before it is resumed", async () => {
    const url = `${service.receiver.url}/${account.accountId}`;
    await made({ endpointId: "told", kind: "webhook", url, types: ["target.created"] });
    const here = (one: { readonly path: string }) => one.path === `/${account.accountId}`;
    expect((await call("POST", "/told/pause")).body).toMatchObject({ paused: true, revision: 2 });
    expect((await call("POST", "/told/pause")).body).toMatchObject({ paused: true, revision: 2 });
    await account.ok("POST", "/v1/targets", { targetId: "t", url: publicUrl });
    expect((await call("GET", "/told")).body.progress).toMatchObject({ behind: 1 });
    expect(service.receiver.receipts.filter(here)).toEqual([]);
    expect((await call("POST", "/told/resume")).body).toMatchObject({ paused: false });
    const [receipt] = await service.receiver.received(1, here);
    expect(JSON.parse(String(receipt!.body))).toMatchObject({ type: "postdate.target.created.v1" });

    const again = await call("POST", "/told/rewind", rewind);
    expect(again.status, again.text).toBe(200);
    const [, repeated] = await service.receiver.received(2, here);
    expect(String(repeated!.body)).toBe(String(receipt!.body));
  });

  test("a rewind ahead of the webhook is refused with what it would leave out, unless that is wanted", async () => {
    await made({ endpointId: "told", kind: "webhook", url: publicUrl, types: ["target.created"] });
    await call("POST", "/told/pause");
    // Another endpoint has events written that this one does not get.
    await made({ endpointId: "live", kind: "stream", types: ["target.paused"] });
    // Behind the last event, and not further ahead than clocks may differ.
    const ahead = () => ({ to: new Date(Date.now() + 10_000).toISOString() });
    await account.ok("POST", "/v1/targets", { targetId: "a", url: publicUrl });
    await account.ok("POST", "/v1/targets", { targetId: "b", url: publicUrl });
    await account.ok("POST", "/v1/targets/b/pause");
    await expect
      .poll(async () => (await call("GET", "/told")).body.progress)
      .toMatchObject({ behind: 3 });
    const before = (await call("GET", "/told")).body;
    const refused = await call("POST", "/told/rewind", ahead());
    expectRefusal(refused, 400, { code: "E-DI-1001", field: "to" });
    expect(refused.body.errors[0].message).toContain("2 events that it has not been sent");
    expect((await call("GET", "/told")).body).toEqual(before);
    const skipped = await call("POST", "/told/rewind", { ...ahead(), skip: true });
    expect(skipped.body.progress).toMatchObject({ behind: 0 });
    // Nothing that it gets is left out now.
    await account.ok("POST", "/v1/targets/b/resume");
    await account.ok("POST", "/v1/targets/b/pause");
    expect((await call("POST", "/told/rewind", ahead())).status).toBe(200);
  });

  test.each([false, true])("a rewind to a time to come is refused, skip: %j", async (skip) => {
    await made({ endpointId: "told", kind: "webhook", url: publicUrl });
    const to = new Date(Date.now() + 3_600_000).toISOString();
    const answer = await call("POST", "/told/rewind", { to, skip });
    expectRefusal(answer, 400, { code: "E-DI-1001", field: "to" });
  });

  test("a test sends one signed event, and answers with the attempt", async () => {
    const target = await service.target();
    target.answerWith(status(503, {}, "not today"));
    const url = service.receiver.url + target.path;
    await made({ endpointId: "told", kind: "webhook", url, ...quiet });
    const { body } = await call("POST", "/told/test");
    expect(body).toStrictEqual({
      endpointId: "told",
      eventId: expect.stringMatching(/^evt_/),
      attempt: {
        ...{ number: 1, startTime: anyInstant, endTime: anyInstant, outcome: "BAD_STATUS" },
        ...{ statusCode: 503, error: expect.any(String), response: "not today" },
      },
    });
    const [receipt] = await target.received(1);
    expect(receipt!.headers).toMatchObject({
      "webhook-id": body.eventId,
      "webhook-signature": expect.stringMatching(/^v1,/),
      "content-type": "application/cloudevents+json",
    });
    expect(JSON.parse(String(receipt!.body))).toMatchObject({
      ...{ id: body.eventId, type: "postdate.endpoint.test.v1" },
      subject: "event-endpoints/told",
    });
    // It says nothing about the webhook's own events.
    expect((await call("GET", "/told")).body.progress).toMatchObject({ failures: 0 });
  });

  test("a test is a list where deliveries are lists", async () => {
    const target = await service.target();
    const url = service.receiver.url + target.path;
    await made({ endpointId: "told", kind: "webhook", url, maxBatch: 5, ...quiet });
    const { eventId } = (await call("POST", "/told/test")).body;
    const [receipt] = await target.received(1);
    expect(receipt!.headers).toMatchObject({
      "webhook-id": expect.stringMatching(/^batch_[0-9a-z]{26}$/),
      "content-type": "application/cloudevents-batch+json",
      "postdate-event-endpoint": "told",
    });
    expect(JSON.parse(String(receipt!.body))).toMatchObject([
      { id: eventId, type: "postdate.endpoint.test.v1" },
    ]);
  });

  test("an unknown endpoint is not found, however many tests are under way", async () => {
    const target = await service.target();
    const waiting = held();
    target.answerWith(waiting.answer);
    const url = service.receiver.url + target.path;
    await made({ endpointId: "told", kind: "webhook", url, ...quiet });
    const tests = Array.from({ length: 4 }, () => call("POST", "/told/test"));
    await target.received(4);
    expectRefusal(await call("POST", "/told/test"), 429, { code: "E-DI-2003" });
    expectRefusal(await call("POST", "/nobody/test"), 404, { code: "E-DI-8001" });
    for (const _ of tests) (await waiting.next()).writeHead(204).end();
    expect((await Promise.all(tests)).map((answer) => answer.status)).toEqual(Array(4).fill(200));
  });

  test("a rotation answers with the new secret", async () => {
    await made({ endpointId: "told", kind: "webhook", url: publicUrl });
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const rotated = await call("POST", "/told/rotate-secret", { secret, overlapMs: 0 });
    expect(rotated.body).toStrictEqual({ ...webhook, revision: 2, secret });
    const same = await call("POST", "/told/rotate-secret", { secret, overlapMs: 0 });
    expect(same.body).toMatchObject({ revision: 2, secret });
    const wrong = await call("POST", "/told/rotate-secret", { secret: "short" });
    expectRefusal(wrong, 400, { code: "E-DI-1001", field: "secret" });
  });

  test.each([{}, { to: "yesterday" }, { to: 5 }])("a rewind to %j is refused", async (body) => {
    await made({ endpointId: "told", kind: "webhook", url: publicUrl });
    const answer = await call("POST", "/told/rewind", body);
    expectRefusal(answer, 400, { code: "E-DI-1001", field: "to" });
  });
});

test("the audit log says who did what", async () => {
  await made({ endpointId: "told", kind: "webhook", url: publicUrl, ...quiet });
  await call("PATCH", "/told", { maxBatch: 2 });
  await call("POST", "/told/pause");
  await call("POST", "/told/resume");
  await call("POST", "/told/rewind", { to: "2020-01-01T00:00:00Z" });
  await call("POST", "/told/rotate-secret");
  await call("DELETE", "/told");
  const { items } = await account.ok("GET", "/v1/audit-log?limit=100");
  const about = items.filter(({ subjectId }: { subjectId: string }) => subjectId === "told");
  expect(about.map(({ action }: { action: string }) => action).toReversed()).toEqual(
    ["created", "updated", "paused", "resumed", "rewound", "secret-rotated", "removed"].map(
      (action) => `event-endpoint.${action}`,
    ),
  );
  expect(about.at(-2).detail).toEqual({ fields: ["maxBatch"] });
});

test("a target says when it counts as failing", async () => {
  const target = { targetId: "t", url: publicUrl };
  const byDefault = { attempts: 10, ms: 60_000 };
  const failingAfter = { attempts: 3, ms: 0 };
  const created = await account.ok("POST", "/v1/targets", { ...target, failingAfter });
  expect(created.failingAfter).toEqual(failingAfter);
  const changed = { attempts: 1, ms: 86_400_000 };
  const ok = async (body: object) =>
    (await account.ok("PATCH", "/v1/targets/t", body)).failingAfter;
  expect(await ok({ failingAfter: changed })).toEqual(changed);
  expect(await ok({ maxConcurrency: 3 })).toEqual(changed);
  expect(await ok({ failingAfter: null })).toEqual(byDefault);
  for (const wrong of [{ attempts: 0, ms: 0 }, { attempts: 1, ms: -1 }, { attempts: 1 }, 5]) {
    const answer = await service.api("PATCH", "/v1/targets/t", {
      ...{ key: account.key, body: { failingAfter: wrong } },
    });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors[0].field).toMatch(/^failingAfter/);
  }
});
