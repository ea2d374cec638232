import { beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import { createClient, ownToken } from "./oauth-client.ts";
import { operatorKey } from "./subject.ts";
import type { Subject } from "./subject.ts";

const scopes = ["all.read", "all.readwrite", "messages.read", "messages.readwrite"] as const;
type Scope = (typeof scopes)[number];

const readers: readonly Scope[] = scopes;
const writers: readonly Scope[] = ["all.readwrite", "messages.readwrite"];
const allReaders: readonly Scope[] = ["all.read", "all.readwrite"];
const allWriters: readonly Scope[] = ["all.readwrite"];

type Row = readonly [route: string, allowed: readonly Scope[], body?: unknown];

/** {t}, {m} and {s} are a target, a message and a schedule that exist. Calls that write name things that do not exist. */
const ofAccounts: readonly Row[] = [
  ["POST /v1/messages", writers, {}],
  ["POST /v1/messages/batch", writers, {}],
  ["GET /v1/messages", readers],
  ["GET /v1/messages/{m}", readers],
  ["GET /v1/messages/{m}/payload", readers],
  ["GET /v1/messages/{m}/attempts", readers],
  ["POST /v1/messages/nope/cancel", writers],
  ["POST /v1/messages/nope/reschedule", writers, { deliveryTime: farAway }],
  ["GET /v1/targets/{t}/scheduled-messages", readers],
  ["GET /v1/targets/{t}/dead-letters", readers],
  ["GET /v1/targets/{t}/keys/nope", readers],
  ["POST /v1/targets/{t}/keys/nope/cancel", writers],
  ["POST /v1/targets/{t}/keys/nope/reschedule", writers, { deliveryTime: farAway }],
  ["POST /v1/jobs", writers, {}],
  ["GET /v1/jobs", readers],
  ["GET /v1/jobs/nope", readers],
  ["PATCH /v1/jobs/nope", writers, { ratePerSecond: 1 }],
  ["POST /v1/jobs/nope/stop", writers],
  ["POST /v1/jobs/nope/pause", writers],
  ["POST /v1/jobs/nope/resume", writers],
  ["POST /v1/targets/nope/dead-letters/redrive", writers],
  ["GET /v1/schedules", allReaders],
  ["POST /v1/schedules", allWriters, {}],
  ["GET /v1/schedules/{s}", allReaders],
  ["PUT /v1/schedules/nope", allWriters, {}],
  ["PATCH /v1/schedules/nope", allWriters, {}],
  ["DELETE /v1/schedules/nope", allWriters],
  ["POST /v1/schedules/nope/pause", allWriters],
  ["POST /v1/schedules/nope/resume", allWriters],
  ["POST /v1/schedules/nope/trigger", allWriters],
  ["POST /v1/schedules/nope/skip", allWriters, { time: farAway }],
  ["POST /v1/schedules/nope/unskip", allWriters, { time: farAway }],
  ["POST /v1/schedules/nope/backfill", allWriters, { from: "2026-01-01T00:00:00Z" }],
  ["GET /v1/schedules/{s}/runs", allReaders],
  ["POST /v1/schedules/preview", allReaders, { cron: "@daily" }],
  ["GET /v1/stats", readers],
  ["GET /v1/stats/activity", readers],
  ["GET /v1/stats/targets", allReaders],
  ["GET /v1/forecast", readers],
  ["GET /v1/dead-letters/groups", readers],
  ["GET /v1/usage", readers],
  ["GET /v1/targets", allReaders],
  ["GET /v1/targets/{t}", allReaders],
  ["POST /v1/targets", allWriters, {}],
  ["PATCH /v1/targets/nope", allWriters, {}],
  ["DELETE /v1/targets/nope", allWriters],
  ["DELETE /v1/targets/nope?messages=cancel", allWriters],
  ["POST /v1/targets/nope/pause", allWriters],
  ["POST /v1/targets/nope/resume", allWriters],
  ["POST /v1/targets/nope/test", allWriters],
  ["POST /v1/targets/nope/rotate-secret", allWriters],
  ["GET /v1/event-endpoints", allReaders],
  ["POST /v1/event-endpoints", allWriters, {}],
  ["GET /v1/event-endpoints/nope", allReaders],
  ["PATCH /v1/event-endpoints/nope", allWriters, {}],
  ["DELETE /v1/event-endpoints/nope", allWriters],
  ["POST /v1/event-endpoints/nope/pause", allWriters],
  ["POST /v1/event-endpoints/nope/resume", allWriters],
  ["POST /v1/event-endpoints/nope/test", allWriters],
  ["POST /v1/event-endpoints/nope/rewind", allWriters, { to: "2026-01-01T00:00:00Z" }],
  ["POST /v1/event-endpoints/nope/rotate-secret", allWriters],
  ["GET /v1/event-endpoints/nope/events", allReaders],
  ["GET /v1/event-endpoints/nope/stream", allReaders],
  ["GET /v1/keys", allReaders],
  ["POST /v1/keys", allWriters, {}],
  ["DELETE /v1/keys/nope", allWriters],
  ["GET /v1/clients", allReaders],
  ["GET /v1/clients/nope", allReaders],
  ["POST /v1/clients", allWriters, {}],
  ["DELETE /v1/clients/nope", allWriters],
  ["POST /v1/clients/nope/rotate-secret", allWriters],
  ["GET /v1/account", allReaders],
  ["GET /v1/audit-log", allReaders],
  ["GET /v1/nodes", allReaders],
];

const ofTheOperator: readonly Row[] = [
  ["GET /v1/accounts", []],
  ["POST /v1/accounts", [], { accountId: "?" }],
  ["GET /v1/accounts/nope", []],
  ["PATCH /v1/accounts/nope", [], {}],
  ["DELETE /v1/accounts/nope", []],
  ["POST /v1/accounts/nope/suspend", []],
  ["POST /v1/accounts/nope/resume", []],
  ["POST /v1/accounts/nope/keys", [], {}],
  ["GET /v1/accounts/nope/audit-log", []],
  ["GET /v1/operator/audit-log", []],
  ["GET /v1/signing-keys", []],
  ["GET /v1/encryption", []],
  // Refused: the servers of this suite are given their key.
  ["POST /v1/encryption/rotate", []],
];
/** Only a cookie opens these: see the suite of sessions. */
const ofSessions: readonly Row[] = [
  ["GET /v1/session", []],
  ["DELETE /v1/session", []],
];

/** Has too wide an effect to be called only for its scopes. */
const notCalled = ["POST /v1/signing-keys/rotate"];

const open = [
  "GET /healthz",
  "GET /readyz",
  "GET /metrics",
  "POST /v1/session",
  "POST /oauth/token",
  "POST /oauth/revoke",
  "GET /.well-known/oauth-authorization-server",
  "GET /.well-known/jwks.json",
];

type Credentials = Readonly<Record<Scope, string>>;

/** Spec section 5 and contract section 6: each route with each scope, for each kind of credential. */
export function scopesSuite(subject: Subject): void {
  const { service } = subject;
  const credentials = {} as Record<"keys" | "tokens" | "trusted", Credentials>;
  let targetId: string;
  let messageId: string;
  let scheduleId: string;
  let suspendedKey: string;

  beforeAll(async () => {
    const forEachScope = async (make: (scope: string) => Promise<string>): Promise<Credentials> => {
      const made = scopes.map(async (scope) => [scope, await make(`scheduler.${scope}`)]);
      return Object.fromEntries(await Promise.all(made));
    };
    credentials.keys = await forEachScope(async (scope) => {
      const body = { name: scope, scopes: [scope] };
      return (await service.ok("POST", "/v1/keys", { body })).key;
    });
    credentials.tokens = await forEachScope(async (scope) =>
      ownToken(subject, await createClient(subject, { scopes: [scope] })),
    );
    credentials.trusted = await forEachScope((scope) => subject.issuer.token({ scope }));
    const target = await service.target();
    targetId = target.targetId;
    messageId = (await target.schedule({ deliveryTime: farAway })).messageId;
    const body = { targetId, payload: "", cron: "@daily", startTime: farAway };
    scheduleId = (await service.api("POST", "/v1/schedules", { body })).body.scheduleId;
    const suspended = await subject.account();
    await subject.manage("POST", `/v1/accounts/${suspended.accountId}/suspend`);
    suspendedKey = suspended.key;
  });

  const call = ([route, , body]: Row, key: string | null) => {
    const [method, template] = route.split(" ") as [string, string];
    const path = template
      .replace("{t}", targetId)
      .replace("{m}", messageId)
      .replace("{s}", scheduleId);
    return service.api(method, path, { key, ...(body === undefined ? {} : { body }) });
  };

  const expectMissing = async (row: Row): Promise<void> => {
    const answer = await call(row, null);
    expectRefusal(answer, 401, { code: "E-DI-2001" });
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="postdate"');
  };

  describe.each(ofAccounts.map((row) => ({ route: row[0], row })))("$route", ({ row }) => {
    const [, allowed] = row;
    test.each(scopes)("with scheduler.%s", async (scope) => {
      for (const kind of ["keys", "tokens", "trusted"] as const) {
        const answer = await call(row, credentials[kind][scope]);
        if (allowed.includes(scope)) {
          const refused = row[0].includes("nope") ? [401, 403, 405] : [401, 403, 404, 405];
          expect(refused, kind).not.toContain(answer.status);
          continue;
        }
        expectRefusal(answer, 403, { code: "E-DI-2002" });
        const challenge = answer.headers.get("www-authenticate") ?? "";
        expect(challenge, kind).toMatch(/^Bearer .*error="insufficient_scope"/);
        const needed = /scope="scheduler\.([a-z.]+)"/.exec(challenge)?.[1];
        expect(allowed, kind).toContain(needed);
      }
    });

    test("with none", () => expectMissing(row));

    test("with the key of a suspended account", async () => {
      expectRefusal(await call(row, suspendedKey), 403, { code: "E-DI-4003" });
    });

    test("with the operator's key", async () => {
      expectRefusal(await call(row, operatorKey), 403, { code: "E-DI-2002" });
    });
  });

  describe.each(ofTheOperator.map((row) => ({ route: row[0], row })))("$route", ({ row }) => {
    test.each(scopes)("not with scheduler.%s", async (scope) => {
      for (const kind of ["keys", "tokens", "trusted"] as const) {
        expectRefusal(await call(row, credentials[kind][scope]), 403, { code: "E-DI-2002" });
      }
    });

    test("with none", () => expectMissing(row));

    test("with the operator's key", async () => {
      expect([401, 403, 405]).not.toContain((await call(row, operatorKey)).status);
    });
  });

  describe.each(ofSessions.map((row) => ({ route: row[0], row })))("$route", ({ row }) => {
    test("with no credential but a session", async () => {
      const keys = Object.values(credentials).flatMap((ofKind) => Object.values(ofKind));
      for (const key of [...keys, operatorKey]) {
        expectRefusal(await call(row, key), 403, { code: "E-DI-2002" });
      }
    });

    test("with none", () => expectMissing(row));
  });

  test.each(notCalled)("only the operator may call %s", async (route) => {
    for (const key of [credentials.keys["all.readwrite"], credentials.tokens["all.readwrite"]]) {
      expectRefusal(await call([route, []], key), 403, { code: "E-DI-2002" });
    }
    await expectMissing([route, []]);
  });

  test("every route is in these lists", async () => {
    const { paths } = (await service.api("GET", "/openapi.json")).body;
    const documented = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.length).toBeGreaterThan(40);
    const walked = [
      ...[...ofAccounts, ...ofTheOperator, ...ofSessions].map(([route]) => route),
      ...notCalled,
      ...open,
    ];
    const fits = (route: string, documentedRoute: string): boolean =>
      new RegExp(`^${documentedRoute.replaceAll(/\{\w+\}/g, "[^/]+")}(\\?|$)`).test(route);
    // A literal route such as /v1/messages/batch also fits the pattern of a parameter.
    const unwalked = documented.filter((one) => !walked.some((route) => fits(route, one)));
    expect(unwalked).toEqual([]);
    const unknown = walked.filter((route) => !documented.some((one) => fits(route, one)));
    expect(unknown).toEqual([]);
  });

  test.each(open)("%s needs no credential and ignores a wrong one", async (route) => {
    for (const key of [null, "pd_unknown"]) {
      const answer = await call([route, []], key);
      expect([200, 400, 401, 415]).toContain(answer.status);
      expect(answer.text).not.toContain("E-DI-2001");
    }
  });

  test("a credential cannot create one with wider scopes", async () => {
    for (const kind of ["keys", "tokens", "trusted"] as const) {
      for (const path of ["/v1/keys", "/v1/clients"]) {
        const body = { name: "up", scopes: ["scheduler.all.readwrite"] };
        for (const scope of ["all.read", "messages.read", "messages.readwrite"] as const) {
          const answer = await service.api("POST", path, { key: credentials[kind][scope], body });
          expectRefusal(answer, 403, { code: "E-DI-2002" });
        }
      }
    }
  });
}
