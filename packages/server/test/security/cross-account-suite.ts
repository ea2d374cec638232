import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { expectProblems, expectRefusal } from "../support/expectations.ts";
import { farAway, patiently } from "../support/shared-service.ts";
import { comparable } from "./comparable.ts";
import { documentedRoutes, pathWith } from "./documented-routes.ts";
import { createTenant, endedJob, jobEnds } from "./tenant.ts";
import type { Tenant } from "./tenant.ts";
import type { Subject } from "./subject.ts";

type Ids = Readonly<Record<string, string>>;

/** Bodies for the operations that need one. */
const bodies: Readonly<Record<string, object | ((ids: Ids) => object)>> = {
  rescheduleMessage: { deliveryTime: "2998-01-01T00:00:00Z" },
  rescheduleMessageByKey: { deliveryTime: "2998-01-01T00:00:00Z" },
  updateTarget: { maxConcurrency: 7 },
  changeJob: { ratePerSecond: 7 },
  putSchedule: ({ targetId }) => ({
    ...{ targetId, payload: "taken over", everyMs: 86_400_000, startTime: farAway },
  }),
  updateSchedule: { maxRuns: 7 },
  skipRun: { time: farAway },
  unskipRun: { time: farAway },
  backfillSchedule: { from: "2026-01-01T00:00:00Z", dryRun: true },
  updateEventEndpoint: { types: ["endpoint.*"] },
  rewindEventEndpoint: { to: "2026-01-01T00:00:00Z" },
  updateAccount: { name: "taken over" },
  createAccountKey: { name: "taken over", scopes: ["scheduler.all.readwrite"] },
};

const withIds = documentedRoutes.filter((route) => route.parameters.length > 0);
/** Only the default account sees nodes, and they are no list of an account. */
const lists = documentedRoutes.filter(
  ({ of, method, parameters, path }) =>
    of === "account" && method === "GET" && parameters.length === 0 && path !== "/v1/nodes",
);
const walks = documentedRoutes.filter(
  (route) => route.of === "account" && route.query.includes("pageToken"),
);

/**
 * For a caller, another account's id is the same as an id that does not exist, in every word of the answer.
 */
export function crossAccountSuite(subject: Subject): void {
  const { service } = subject;
  let mine: Tenant;
  let other: Tenant;
  /** Ids of the same form that nobody has. A message id differs only in its random end. */
  let unknown: Ids;

  beforeAll(async () => {
    mine = await createTenant(subject, "mine");
    other = await createTenant(subject, "other");
    unknown = Object.fromEntries(
      Object.entries(other.ids).map(([name, id]) => [name, withAnotherEnd(id)]),
    );
  });

  const call = (
    { operationId, method, path, needsBody }: (typeof withIds)[number],
    ids: Ids,
  ): Promise<ApiAnswer> => {
    const chosen = bodies[operationId];
    const body = typeof chosen === "function" ? chosen(ids) : chosen;
    if (needsBody && body === undefined) throw new Error(`say what to send to ${operationId}`);
    const asked = pathWith(path, ids);
    // A stream has no end. What comes first is enough.
    return operationId === "streamEvents"
      ? beginningOf(service.server.url + asked, mine.key)
      : mine.api(method, asked, body === undefined ? {} : { body });
  };

  describe("the other's id", () => {
    const everythingOfBoth = () => Promise.all([mine.everything(), other.everything()]);
    let before: string[][];
    beforeAll(async () => {
      before = await everythingOfBoth();
    });
    const expectNothingChanged = async (): Promise<void> => {
      expect(await everythingOfBoth()).toEqual(before);
    };

    test.each(withIds.filter(({ of }) => of === "account"))("$method $path", async (route) => {
      const ofOther = await call(route, other.ids);
      const ofNobody = await call(route, unknown);
      if (route.method !== "GET") await expectNothingChanged();
      const tokens = [ofOther, ofNobody].map(({ body }) => body?.pageToken ?? "?");
      expect(comparable(ofOther, [...Object.values(other.ids), tokens[0]])).toEqual(
        comparable(ofNobody, [...Object.values(unknown), tokens[1]]),
      );
      if (ofOther.status === 200) expect(ofOther.body.items).toEqual([]);
      else expect([400, 404]).toContain(ofOther.status);
    });

    test.each(withIds.filter(({ of }) => of === "operator"))(
      "$method $path is the operator's, whosever the id is",
      async (route) => {
        const answers = [];
        for (const ids of [mine.ids, other.ids, unknown]) {
          answers.push(comparable(await call(route, ids)));
        }
        if (route.method !== "GET") await expectNothingChanged();
        expect(answers[0]).toMatchObject({ status: 403 });
        for (const answer of answers) expect(answer).toEqual(answers[0]);
      },
    );

    test("an own id with another random end does not exist either", async () => {
      const messageId = withAnotherEnd(mine.ids["messageId"]!);
      expect((await mine.api("GET", `/v1/messages/${messageId}`)).status).toBe(404);
      const answer = await mine.api("POST", `/v1/messages/${messageId}/cancel`);
      expectRefusal(answer, 400, { code: "E-DI-5001" });
      await expectNothingChanged();
    });

    test("the root key gets the same answer", async () => {
      const ofRoot = await mine.api("DELETE", "/v1/keys/key_root");
      const ofNobody = await mine.api("DELETE", `/v1/keys/${unknown["keyId"]}`);
      expect(comparable(ofRoot)).toEqual(comparable(ofNobody));
      expect(ofRoot.status).toBe(404);
    });

    test("in a body", async () => {
      const draft = { deliveryTime: farAway, payload: "x" };
      for (const { targetId } of [other.ids, unknown]) {
        const answer = await mine.api("POST", "/v1/messages", { body: { ...draft, targetId } });
        expectRefusal(answer, 400, { code: "E-DI-3001", field: "targetId" });
        const batch = await mine.api("POST", "/v1/messages/batch", {
          body: { messages: [{ ...draft, targetId }] },
        });
        expect(batch.status).toBe(200);
        expectProblems(batch.body.results[0].errors, [{ code: "E-DI-3001", field: "targetId" }]);
        for (const dryRun of [true, false]) {
          const job = await mine.api("POST", "/v1/jobs", {
            body: { action: "cancel", filter: { targetId }, dryRun },
          });
          expectRefusal(job, 400, { code: "E-DI-3001", field: "filter.targetId" });
        }
      }
      await expectNothingChanged();
    });
  });

  describe("lists", () => {
    test.each(lists)("$method $path shows only the caller's own items", async ({ path }) => {
      const [ofMine, ofOther] = await Promise.all([mine.api("GET", path), other.api("GET", path)]);
      expect([ofMine.status, ofOther.status]).toEqual([200, 200]);
      for (const mark of other.marks) expect(ofMine.text).not.toContain(mark);
      for (const mark of mine.marks) expect(ofOther.text).not.toContain(mark);
    });

    test("show the caller's own items, so the tests above can fail", async () => {
      const shown = (await mine.everything()).join("\n");
      for (const mark of mine.marks) expect(shown).toContain(mark);
    });

    test.each(["scheduled-messages", "dead-letters"])(
      "%s of a target id that both accounts use show only the caller's own",
      async (list) => {
        const path = `/v1/targets/shared/${list}`;
        const idsOf = async ({ api }: Tenant): Promise<string[]> =>
          (await api("GET", path)).body.items.map((item: { messageId: string }) => item.messageId);
        const expected = list === "dead-letters" ? "deadLetterIds" : "scheduledIds";
        expect((await idsOf(mine)).toSorted()).toEqual(mine[expected].toSorted());
        expect((await idsOf(other)).toSorted()).toEqual(other[expected].toSorted());
      },
    );
  });

  describe("searches", () => {
    const idsOf = async ({ api }: Tenant, query: string): Promise<string[]> =>
      (await api("GET", `/v1/messages?limit=100&${query}`)).body.items.map(
        (item: { messageId: string }) => item.messageId,
      );

    test.each([
      "",
      "targetId=shared",
      "targetId=shared&state=SCHEDULED,DEAD_LETTER",
      "order=oldest",
      "minTime=2000-01-01T00:00:00Z&maxTime=2999-01-01T00:00:00Z",
    ])("for %j find only the caller's own", async (query) => {
      for (const [tenant, stranger] of [
        [mine, other],
        [other, mine],
      ] as const) {
        const found = await idsOf(tenant, query);
        expect(found).toEqual(expect.arrayContaining([...tenant.scheduledIds]));
        for (const messageId of found) expect(stranger.marks).not.toContain(messageId);
      }
    });

    test("for a label that both accounts use find only the caller's own", async () => {
      const draft = { targetId: "shared", deliveryTime: farAway, payload: "" };
      const body = { ...draft, labels: { order: "4711" } };
      const made = await mine.api("POST", "/v1/messages", { body });
      expect(await idsOf(mine, "label=order:4711")).toEqual([made.body.messageId]);
      expect(await idsOf(other, "label=order:4711")).toEqual([]);
    });

    test("show nothing of a message that they ended at", async () => {
      const first = await mine.api("GET", "/v1/messages?limit=1");
      const { items, nextPageToken } = first.body;
      const token = Buffer.from(nextPageToken, "base64url").toString("latin1");
      expect(token).not.toContain(items[0].messageId);
      expect(token).not.toContain("msg_");
    });
  });

  describe("page tokens", () => {
    test("exist in every list of these tests", () => {
      expect(walks.map(({ operationId }) => operationId).toSorted()).toEqual([
        "findMessages",
        "listAuditEntries",
        "listDeadLetters",
        "listEventEndpoints",
        "listJobs",
        "listRuns",
        "listScheduledMessages",
        "listSchedules",
        "listTargetStats",
        "listTargets",
      ]);
    });

    test.each(walks)("of $method $path work for one account only", async ({ path }) => {
      const place = pathWith(path, { targetId: "shared", scheduleId: "shared" });
      const { pageToken, nextPageToken } = (await mine.api("GET", `${place}?limit=1`)).body;
      for (const token of [pageToken, nextPageToken]) {
        expect((await mine.api("GET", `${place}?pageToken=${token}`)).status).toBe(200);
        const answer = await other.api("GET", `${place}?pageToken=${token}`);
        expectRefusal(answer, 400, { code: "E-DI-1002", field: "pageToken" });
      }
    });
  });

  test("messages of one account do not count for the other", async () => {
    const used = async ({ api }: Tenant): Promise<number> =>
      (await api("GET", "/v1/usage")).body.used;
    const before = [await used(mine), await used(other)] as const;
    const draft = { targetId: "shared", deliveryTime: farAway, payload: "" };
    expect((await mine.api("POST", "/v1/messages", { body: draft })).status).toBe(200);
    expect([await used(mine), await used(other)]).toEqual([before[0] + 1, before[1]]);
  });

  test("idempotency keys of one account do not affect the other", async () => {
    const send = ({ api }: Tenant, payload: string) =>
      api("POST", "/v1/messages", {
        body: { targetId: "shared", deliveryTime: farAway, payload },
        headers: { "idempotency-key": "the-same" },
      });
    const first = await send(mine, "a");
    // The call is neither repeated nor refused, whether or not the request is the same.
    const ofOther = await send(other, "b");
    expect([first.status, ofOther.status]).toEqual([200, 200]);
    expect(ofOther.headers.get("idempotency-replayed")).toBeNull();
    expect(ofOther.body.messageId).not.toBe(first.body.messageId);
    const again = await send(mine, "a");
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expectRefusal(await send(mine, "b"), 422, { code: "E-DI-5007", field: "Idempotency-Key" });
  });

  test("neither do the keys of messages of a batch", async () => {
    const item = { targetId: "shared", delayMs: 3_600_000, payload: "a" };
    const send = ({ api }: Tenant) =>
      api("POST", "/v1/messages/batch", {
        body: { messages: [{ ...item, idempotencyKey: "the-same-item" }] },
      });
    const [first] = (await send(mine)).body.results;
    const [ofOther] = (await send(other)).body.results;
    expect(Object.keys(ofOther)).toEqual(["message"]);
    expect(ofOther.message.messageId).not.toBe(first.message.messageId);
    expect((await send(mine)).body.results).toEqual([{ ...first, replayed: true }]);
    const headers = { "idempotency-key": "the-same-item" };
    const alone = await other.api("POST", "/v1/messages", { body: item, headers });
    expect(alone.body).toEqual(ofOther.message);
  });

  test("keys of messages of one account do not affect the other", async () => {
    const body = { targetId: "shared", deliveryTime: farAway, payload: "a", key: "the-same" };
    const [first, ofOther] = [
      await mine.api("POST", "/v1/messages", { body }),
      await other.api("POST", "/v1/messages", { body: { ...body, onConflict: "replace" } }),
    ];
    expect(ofOther.headers.get("postdate-key-outcome")).toBe("created");
    const path = "/v1/targets/shared/keys/the-same";
    expect((await mine.api("GET", path)).body).toEqual(first.body);
    expect((await mine.api("POST", `${path}/cancel`)).status).toBe(200);
    expect((await other.api("GET", path)).body).toEqual(ofOther.body);
    expect((await other.api("POST", `${path}/cancel`)).status).toBe(200);
  });

  describe("jobs", () => {
    const labelled = {
      targetId: "shared",
      deliveryTime: farAway,
      payload: "",
      labels: { job: "x" },
    };
    const preview = async ({ api }: Tenant, order: object): Promise<string[]> => {
      const { status, text, body } = await api("POST", "/v1/jobs", {
        body: { ...order, dryRun: true },
      });
      expect(status, text).toBe(200);
      expect(body.count).toBe(body.sample.length);
      return body.sample.map((message: { messageId: string }) => message.messageId);
    };

    test.each([
      { action: "cancel", filter: { labels: { job: "x" } } },
      { action: "shift", byMs: 1_000, filter: { targetId: "shared", labels: { job: "x" } } },
    ])("with %j change only the caller's own", async (order) => {
      const own = await mine.api("POST", "/v1/messages", { body: labelled });
      const theirs = await other.api("POST", "/v1/messages", { body: labelled });
      expect(await preview(mine, order)).toEqual([own.body.messageId]);
      expect(await preview(other, order)).toEqual([theirs.body.messageId]);
      const before = await other.everything();
      const job = await endedJob(mine.api, order);
      expect(job).toMatchObject({ state: "DONE", matched: 1, done: 1 });
      expect(await other.everything()).toEqual(before);
      for (const [{ api }, { body }] of [
        [mine, own],
        [other, theirs],
      ] as const) {
        const { state } = (await api("GET", `/v1/messages/${body.messageId}`)).body;
        if (state === "SCHEDULED") await api("POST", `/v1/messages/${body.messageId}/cancel`);
      }
    });

    test("with an idempotency key of the other are new ones", async () => {
      const order = { action: "cancel", filter: { labels: { job: "nothing" } } };
      const headers = { "idempotency-key": "the-same-job" };
      const first = await mine.api("POST", "/v1/jobs", { body: order, headers });
      const ofOther = await other.api("POST", "/v1/jobs", { body: order, headers });
      expect([first.status, ofOther.status]).toEqual([201, 201]);
      expect(ofOther.headers.get("idempotency-replayed")).toBeNull();
      expect(ofOther.body.jobId).not.toBe(first.body.jobId);
      await jobEnds(mine.api, first.body.jobId);
      await jobEnds(other.api, ofOther.body.jobId);
    });
  });

  describe("schedules", () => {
    test("with the same id are each account's own", async () => {
      const before = await other.everything();
      const path = "/v1/schedules/shared";
      const changed = await mine.api("PATCH", path, { body: { payload: "changed" } });
      expect(changed.body).toMatchObject({ payload: "changed", targetId: "recurring-mine" });
      const time = "2999-01-02T00:00:00.000Z";
      const skipped = await mine.api("POST", `${path}/skip`, { body: { time } });
      expect(skipped.body.skips).toEqual([time]);
      expect((await mine.api("POST", `${path}/trigger`)).status).toBe(201);
      const backfill = { body: { from: "2026-01-01T00:00:00Z" } };
      const { status: started, body: job } = await mine.api("POST", `${path}/backfill`, backfill);
      expect(started).toBe(202);
      await jobEnds(mine.api, job.jobId);
      expect((await mine.api("DELETE", path)).status).toBe(200);
      expect((await mine.api("GET", path)).status).toBe(404);
      expect(await other.everything()).toEqual(before);
    });

    test("with the id of another's are new, and their messages are not found by the other", async () => {
      const before = await other.everything();
      const { scheduleId, targetId } = other.ids as { scheduleId: string; targetId: string };
      const place = `/v1/schedules/${scheduleId}`;
      const body = { targetId: "recurring-mine", payload: "", cron: "@daily", startTime: farAway };
      const there = { ...body, targetId };
      expectRefusal(await mine.api("PUT", place, { body: there }), 400, {
        ...{ code: "E-DI-3001", field: "targetId" },
      });
      expect((await mine.api("PUT", place, { body })).status).toBe(201);
      const { messageId } = (await mine.api("POST", `${place}/trigger`)).body;
      const found = await mine.api("GET", `/v1/messages?scheduleId=${scheduleId}`);
      expect(found.body.items).toMatchObject([{ messageId, scheduleId }]);
      expect(await other.everything()).toEqual(before);
      expect((await mine.api("DELETE", place)).status).toBe(200);
    });
  });

  describe("statistics", () => {
    test.each([
      "/v1/stats/activity",
      "/v1/stats/targets",
      "/v1/forecast",
      "/v1/dead-letters/groups",
    ])("%s knows no target of the other", async (path) => {
      const about = async (targetId: string | undefined) => {
        const query = new URLSearchParams({ targetId: targetId! }).toString();
        const answer = await mine.api("GET", `${path}?${query}`);
        // A list says when it was made.
        return answer.status === 200 ? answer.body.items : comparable(answer, [targetId!]);
      };
      expect(await about(other.ids["targetId"])).toEqual(await about(unknown["targetId"]));
    });

    test("count only the caller's own", async () => {
      // On a busy machine counting may take longer than an answer.
      const counted = (path: string) =>
        vi.waitFor(async () => {
          const { body } = await mine.api("GET", path);
          expect([body, body.pending, body.deadLetters].some((part) => part?.exact === false)).toBe(
            false,
          );
          return body;
        }, patiently);
      const groups = await counted("/v1/dead-letters/groups");
      const grouped = groups.items.reduce(
        (sum: number, { count }: { count: number }) => sum + count,
        0,
      );
      expect(grouped).toBe(mine.deadLetterIds.length + 1);
      for (const { sample } of groups.items) expect(mine.marks).toContain(sample.messageId);
      // Counts are remembered for two seconds, and schedules go on making messages.
      await vi.waitFor(async () => {
        const stats = await counted("/v1/stats");
        expect(stats.deadLetters).toMatchObject({ value: grouped, exact: true });
        const pending = await mine.api("GET", "/v1/messages?state=SCHEDULED&limit=100");
        expect(stats.pending).toMatchObject({ value: pending.body.count, exact: true });
      }, patiently);
    });

    test("a forecast has no run of the other's schedules", async () => {
      const dayMs = 86_400_000;
      const inDays = (days: number): string =>
        new Date((Math.floor(Date.now() / dayMs) + days) * dayMs).toISOString();
      // Another division of the same days, because a forecast is remembered.
      const runs = (bucket: "day" | "hour"): Promise<number> =>
        vi.waitFor(async () => {
          const query = { bucket, minTime: inDays(3), maxTime: inDays(6) };
          const path = `/v1/forecast?${new URLSearchParams(query).toString()}`;
          const { body } = await mine.api("GET", path);
          expect(body).toMatchObject({ runsExact: true, counting: false });
          return body.items.reduce((sum: number, item: { runs: number }) => sum + item.runs, 0);
        }, patiently);
      const before = await runs("day");
      const body = { targetId: other.ids["targetId"], payload: "", everyMs: 1_000 };
      const there = "/v1/schedules/heat";
      const created = await other.api("PUT", there, { body: { ...body, startTime: inDays(3) } });
      expect(created.status, created.text).toBe(201);
      expect(await runs("hour")).toBe(before);
      expect((await other.api("DELETE", there)).status).toBe(200);
    });
  });

  test("a change of a target does not affect another account's target with the same id", async () => {
    const before = await other.everything();
    const own = "/v1/targets/shared";
    const ok = async (method: string, path: string, body?: object): Promise<void> => {
      const answer = await mine.api(method, path, body === undefined ? {} : { body });
      expect(answer.status, answer.text).toBe(200);
    };
    await ok("PATCH", own, { timeoutMs: 500, headers: { "x-mine": "1" } });
    await ok("POST", `${own}/rotate-secret`);
    await ok("POST", "/v1/messages", { targetId: "shared", deliveryTime: farAway, payload: "x" });
    await ok("POST", `${own}/pause`);
    const { items } = (await mine.api("GET", `${own}/scheduled-messages`)).body;
    for (const { messageId } of items) await ok("POST", `/v1/messages/${messageId}/cancel`);
    await ok("DELETE", own);
    expect(await other.everything()).toEqual(before);
    expect((await mine.api("GET", own)).status).toBe(404);
  });

  test("a message goes to the sender's own target with that id", async () => {
    const { messageId } = await other.send("for the other's target");
    const receipts = await service.receiver.received(1, (one) => one.messageId === messageId);
    expect(receipts.map(({ path }) => path)).toEqual([other.path]);
  });

  // This test is last, because it removes what the tests above look for.
  test("each of these operations finds the caller's own items", async () => {
    const routes = withIds.filter(({ of }) => of === "account");
    const removals = routes.filter(
      ({ method, operationId }) => method === "DELETE" || operationId === "cancelMessageByKey",
    );
    for (const route of [...routes.filter((one) => !removals.includes(one)), ...removals]) {
      const answer = await call(route, mine.ids);
      const said = `${route.operationId}: ${answer.status} ${answer.text}`;
      expect(said).toMatch(/: 20[01] |: 409 .*E-DI-(3003|7003)/);
    }
  });
}

async function beginningOf(url: string, key: string): Promise<ApiAnswer> {
  const hangUp = new AbortController();
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(url, { headers, signal: hangUp.signal });
  if (response.status !== 200) {
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }
  const { value } = await response.body!.pipeThrough(new TextDecoderStream()).getReader().read();
  hangUp.abort();
  return { status: 200, headers: response.headers, text: value ?? "", body: undefined };
}

/** An id of the same kind. Every kind of id may end in these characters. */
function withAnotherEnd(id: string): string {
  return id.slice(0, -1) + (id.endsWith("0") ? "1" : "0");
}
