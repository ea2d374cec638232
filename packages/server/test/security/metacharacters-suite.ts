import { beforeAll, describe, expect, test } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";
import { attackedPaths, attackedRoutes } from "./attacked-routes.ts";
import type { AttackedRoute } from "./attacked-routes.ts";
import { basic, sendForm } from "./oauth-client.ts";
import { operatorKey } from "./subject.ts";
import type { Subject } from "./subject.ts";
import { endedJob } from "./tenant.ts";

/** Characters with a meaning for a database, for a driver or for code that builds statements from text. */
const metacharacters = [
  ...["'; DROP TABLE messages; --", "' OR '1'='1", '" OR ""="', "'||(SELECT 1)||'", "\\'; --"],
  ...["%", "_", "target%", "*", "?", "$1", ":name", "#{x}", "1); SELECT pg_sleep(9); --", "/*"],
  ...["\\", "\\\\", "`x`", "E'\\x00'", "\\N", "NULL", "'", '"', "''", "🛢️'", "ʼ OR 1=1", "％"],
];

/** Makes all attacks at once. On PostgreSQL they share one statement and must not affect each other. */
async function forEach<Each>(all: readonly Each[], attack: (each: Each) => Promise<void>) {
  await Promise.all(all.map(attack));
}

/** The service looks ids up and does not trust them, so any text can be sent as an id. */
const oddIds = [...metacharacters, "\0", "a\0b", "\u001b", "\ufffe", "..", "../keys", "%2e", " "];

export function metacharactersSuite(subject: Subject): void {
  const { service } = subject;
  let target: ScriptedTarget;
  let accountId: string;
  beforeAll(async () => {
    target = await service.target();
    for (let count = 0; count < 3; count++) await target.schedule({ deliveryTime: farAway });
    accountId = (await subject.account()).accountId;
    await service.ok("POST", "/v1/keys", {
      body: { name: "bystander", scopes: ["scheduler.messages.read"] },
    });
    await service.ok("POST", "/v1/clients", {
      body: { name: "bystander", scopes: ["scheduler.messages.read"] },
    });
  });

  /** Everything that an attack could change, except the audit log. */
  const everything = async () => {
    const lists = ["/v1/keys", "/v1/clients", "/v1/targets?limit=100", "/v1/usage", "/v1/jobs"];
    const seen = [
      ...lists,
      "/v1/schedules",
      "/v1/event-endpoints",
      `/v1/targets/${target.targetId}/scheduled-messages?limit=100`,
    ].map(async (path) => {
      const { pageToken: _, ...body } = await service.ok("GET", path);
      return body;
    });
    return [
      ...(await Promise.all(seen)),
      (await subject.manage("GET", "/v1/accounts?limit=100")).items,
    ];
  };

  const call = (method: string, path: string, { as, body, isForm }: AttackedRoute) => {
    if (isForm === true) return sendForm(subject, path, body as Record<string, string>);
    return service.api(method, path, {
      ...(as === "operator" ? { key: operatorKey } : as === "nobody" ? { key: null } : {}),
      ...(body === undefined ? {} : { body }),
    });
  };

  const said = ({ status, body }: ApiAnswer) => ({
    status,
    codes: body?.errors?.map(({ code, field }: { code: string; field?: string }) => [code, field]),
    count: body?.count,
  });

  test("every route is in this list", async () => {
    const { paths } = (await service.api("GET", "/openapi.json")).body;
    const documented = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const attacked = new Set(attackedRoutes.map(({ route }) => route));
    expect([...attacked].toSorted()).toEqual(documented.toSorted());
  });

  test("every field of a body is in this list", async () => {
    const { paths, components } = (await service.api("GET", "/openapi.json")).body;
    const unattacked: string[] = [];
    for (const route of new Set(attackedRoutes.map((each) => each.route))) {
      const [method = "", path = ""] = route.split(" ");
      const { content = {} } = paths[path][method.toLowerCase()].requestBody ?? {};
      const bodies = attackedRoutes.filter((each) => each.route === route).map(({ body }) => body);
      const given = new Set(bodies.flatMap((body) => [...namesIn(body)]));
      for (const { schema } of Object.values(content as Record<string, { schema: Schema }>)) {
        const missing = [...fieldsOf(schema, components.schemas)].filter(
          (name) => !given.has(name),
        );
        unattacked.push(...missing.map((name) => `${route}: ${name}`));
      }
    }
    expect(unattacked).toEqual([]);
  });

  describe("as an id: answered like an unknown id, with no effect", () => {
    const withId = attackedRoutes.filter(({ route }) => route.includes("{"));
    test.each(withId)("$route", async (attacked) => {
      const [method = "", template = ""] = attacked.route.split(" ");
      const at = (id: string): string[] =>
        attackedPaths(template, id, { targetId: target.targetId });
      const before = await everything();
      const unknown = said(await call(method, at("unknown")[0]!, attacked));
      expect(unknown.status).not.toBe(500);
      // Dots are parts of the path even when encoded, so they name other routes.
      await forEach(
        oddIds.filter((id) => id !== ".."),
        async (id) => {
          // What may be created under an id is refused for an id that is none, and for the same reasons as another.
          const isRefused = attacked.mayCreate === true && !/^[\w-]+$/.test(id);
          const more = isRefused ? [["E-DI-1001", "scheduleId"]] : [];
          const expected = { ...unknown, codes: unknown.codes && [...more, ...unknown.codes] };
          for (const path of at(id)) {
            const answer = await call(method, path, attacked);
            expect(said(answer), `${path}: ${answer.text}`).toStrictEqual(expected);
          }
        },
      );
      expect(await everything()).toStrictEqual(before);
    });
  });

  describe("as a parameter of the query", () => {
    const withQuery = attackedRoutes.filter(({ query }) => query !== undefined);
    test.each(withQuery)("$route", async (attacked) => {
      const [method = "", template = ""] = attacked.route.split(" ");
      const path = template
        .replace("{targetId}", target.targetId)
        .replace("{scheduleId}", "nobody")
        .replace("{accountId}", accountId);
      for (const name of attacked.query ?? []) {
        const code = name === "pageToken" ? "E-DI-1002" : "E-DI-1001";
        const isId = name === "targetId" || name === "scheduleId";
        const odd = isId ? oddIds.filter((id) => !/^[\w-]+$/.test(id)) : oddIds;
        await forEach(odd, async (value) => {
          const query = `${name}=${encodeURIComponent(value)}`;
          const answer = await call(method, `${path}?${query}`, attacked);
          expectRefusal(answer, 400, { code, field: name });
        });
      }
    });
  });

  test("as the value of a label: each is found by itself alone", async () => {
    const draft = { targetId: target.targetId, deliveryTime: farAway, payload: "" };
    await forEach(metacharacters, async (value) => {
      const body = { ...draft, labels: { odd: value } };
      const { messageId } = await service.ok("POST", "/v1/messages", { body });
      const label = `odd:${value.replaceAll(/[\\,]/g, String.raw`\$&`)}`;
      const query = new URLSearchParams({ label, state: "SCHEDULED" }).toString();
      const { items } = await service.ok("GET", `/v1/messages?${query}`);
      expect(items).toMatchObject([{ messageId, labels: { odd: value } }]);
    });
  });

  test("as a label, a prefix and a note of a job: it meets only what has exactly these", async () => {
    const { targetId } = await service.target();
    const messages = metacharacters.map((text) => ({
      ...{ targetId, deliveryTime: farAway, payload: "" },
      ...{ labels: { odd: text }, key: `${text}!` },
    }));
    const { results } = await service.ok("POST", "/v1/messages/batch", { body: { messages } });
    for (const [index, text] of metacharacters.entries()) {
      for (const one of [{ labels: { odd: text } }, { keyPrefix: `${text}!` }]) {
        const filter = { targetId, ...one };
        const body = { action: "cancel", filter, note: text, dryRun: true };
        const { count, sample } = await service.ok("POST", "/v1/jobs", { body });
        expect([count, sample], text).toEqual([1, [results[index].message]]);
      }
    }
    const note = metacharacters.join(" ");
    const filter = { targetId, labels: { odd: "%" }, keyPrefix: "%" };
    const job = await endedJob(service.api, { action: "cancel", filter, note });
    expect(job).toMatchObject({ state: "DONE", matched: 1, done: 1, filter, note });
    const left = await service.ok("GET", `/v1/targets/${targetId}/scheduled-messages?limit=100`);
    expect(left.count).toBe(metacharacters.length - 1);
  });

  test("in the payload, a label, a header and the note of a schedule: kept and delivered unchanged", async () => {
    const recurring = await service.target();
    await forEach(metacharacters, async (text) => {
      const isVisible = /^[!-~]+$/.test(text);
      const message = { labels: { odd: text }, headers: { "x-odd": isVisible ? text : "plain" } };
      const path = `/v1/schedules/odd-${metacharacters.indexOf(text)}`;
      const body = {
        ...{ targetId: recurring.targetId, payload: `${text}\0${text}`, message },
        ...{ cron: "@daily", startTime: farAway },
      };
      expect((await service.api("PUT", path, { body })).status).toBe(201);
      const { pause } = await service.ok("POST", `${path}/pause`, { body: { note: text } });
      const run = (await service.api("POST", `${path}/trigger`)).body;
      const shown = await service.ok("GET", path);
      expect([pause.note, shown.payload, shown.message.labels]).toEqual([
        ...[text, body.payload, message.labels],
      ]);
      const [receipt] = await service.receiver.received(
        1,
        (one) => one.messageId === run.messageId,
      );
      expect(receipt?.body.toString()).toBe(body.payload);
      expect(receipt?.headers["x-odd"]).toBe(message.headers["x-odd"]);
    });
  });

  describe("as a name: stored and answered unchanged", () => {
    const scopes = ["scheduler.messages.read"];
    const namesOf = (items: { name: string }[]): string[] => items.map(({ name }) => name);

    test.each(["keys", "clients"])("of %s", async (kind) => {
      const path = `/v1/${kind}`;
      const before = (await service.ok("GET", path)).items;
      const make = (name: string) => service.ok("POST", path, { body: { name, scopes } });
      const made = await Promise.all(metacharacters.map(make));
      expect(namesOf(made)).toEqual(metacharacters);
      const after = (await service.ok("GET", path)).items;
      expect(after).toHaveLength(before.length + made.length);
      expect(after).toEqual(expect.arrayContaining(before));
      expect(namesOf(after)).toEqual(expect.arrayContaining(metacharacters));
      const [first] = made;
      await service.ok("DELETE", `${path}/${first.keyId ?? first.clientId}`);
      expect((await service.ok("GET", path)).items).toHaveLength(after.length - 1);
    });

    test("of an account", async () => {
      const { accountId: bystander } = await subject.account({ name: "bystander" });
      await forEach(metacharacters, async (name) => {
        const made = await subject.manage("POST", "/v1/accounts", { name });
        expect(made.name).toBe(name);
        const path = `/v1/accounts/${made.accountId}`;
        const change = { name: `${name}!`, monthlyMessageLimit: 7 };
        expect(await subject.manage("PATCH", path, change)).toMatchObject(change);
        expect(await subject.manage("GET", path)).toMatchObject(change);
      });
      const unchanged = await subject.manage("GET", `/v1/accounts/${bystander}`);
      expect(unchanged).toMatchObject({ name: "bystander", monthlyMessageLimit: null });
    });

    test.each(["\0", "a\0b", "a\nb", "\u001b", "\u007f"])("but not %j", async (name) => {
      const body = { name, scopes: ["scheduler.messages.read"] };
      const problem = { code: "E-DI-1001", field: "name" };
      const before = await everything();
      expectRefusal(await service.api("POST", "/v1/keys", { body }), 400, problem);
      expectRefusal(await service.api("POST", "/v1/clients", { body }), 400, problem);
      const key = operatorKey;
      for (const [method, path] of [
        ["POST", "/v1/accounts"],
        ["PATCH", `/v1/accounts/${accountId}`],
      ] as const) {
        expectRefusal(await service.api(method, path, { key, body: { name } }), 400, problem);
      }
      expect(await everything()).toStrictEqual(before);
    });
  });

  test("as the target of a message: refused without failing concurrent calls", async () => {
    const { targetId } = await service.target();
    const good = { targetId, deliveryTime: farAway, payload: "" };
    await forEach(oddIds, async (id) => {
      const bad = { ...good, targetId: id };
      const [single, batch, bystander] = await Promise.all([
        service.api("POST", "/v1/messages", { body: bad }),
        service.api("POST", "/v1/messages/batch", { body: { messages: [bad, good] } }),
        service.api("POST", "/v1/messages", { body: good }),
      ]);
      expectRefusal(single, 400, { code: "E-DI-3001", field: "targetId" });
      expect(batch.body.results, batch.text).toMatchObject([
        { errors: [{ code: "E-DI-3001" }] },
        { message: { targetId } },
      ]);
      expect(bystander.status, bystander.text).toBe(200);
    });
  });

  test("in payload, header, path and idempotency key: stored and delivered unchanged", async () => {
    const visible = metacharacters.filter((text) => /^[!-~]+$/.test(text));
    const payload = metacharacters.join("\0\n");
    const headers = Object.fromEntries(visible.map((value, index) => [`x-${index}`, value]));
    const path = `/'";--%25_$1\\?q=';DROP&r=%00`;
    const odd = await service.target({
      headers: Object.fromEntries(Object.entries(headers).slice(0, 32)),
      url: service.receiver.url + path,
    });
    const ids = new Set<string>();
    for (const key of visible) {
      const body = { targetId: odd.targetId, deliveryTime: farAway, payload: `${payload}${key}` };
      const once = () =>
        service.ok("POST", "/v1/messages", { body, headers: { "idempotency-key": key } });
      const { messageId } = await once();
      expect((await once()).messageId).toBe(messageId);
      const { results } = await service.ok("POST", "/v1/messages/batch", {
        body: { messages: [{ ...body, idempotencyKey: key }] },
      });
      expect(results).toMatchObject([{ message: { messageId }, replayed: true }]);
      const kept = await service.ok("GET", `/v1/messages/${messageId}/payload`);
      expect(kept).toStrictEqual({ messageId, payload: `${payload}${key}` });
      ids.add(messageId);
    }
    expect(ids.size).toBe(visible.length);
    const { messageId } = await odd.schedule({ payload });
    const here = ({ messageId: id }: { messageId: string }): boolean => id === messageId;
    const [receipt] = await service.receiver.received(1, here);
    expect(receipt?.body.toString("utf8")).toBe(payload);
    expect(receipt?.headers).toMatchObject(
      Object.fromEntries(Object.entries(headers).slice(0, 32)),
    );
    expect(receipt?.path).toBe(
      new URL(service.receiver.url + path).href.slice(service.receiver.url.length),
    );
  });

  describe("as a label", () => {
    const messageWith = (labels: string) =>
      `{"targetId":"${target.targetId}","deliveryTime":"${farAway}","payload":"","labels":${labels}}`;
    const schedule = (labels: string) =>
      service.api("POST", "/v1/messages", { body: messageWith(labels) });
    const cancel = (messageId: string) => service.ok("POST", `/v1/messages/${messageId}/cancel`);

    test("stored and answered unchanged, without an effect on concurrent calls", async () => {
      await forEach(metacharacters, async (text) => {
        const labels = { a: text, ".": text, "-": text, _: text };
        const { status, body } = await schedule(JSON.stringify(labels));
        expect([status, body.labels]).toStrictEqual([200, labels]);
        const path = `/v1/messages/${body.messageId}`;
        expect((await service.ok("GET", path)).labels).toStrictEqual(labels);
        expect((await cancel(body.messageId)).labels).toStrictEqual(labels);
      });
    });

    test.each(["constructor", "toString", "__proto__", "prototype", "hasownproperty"])(
      "the name %s is like any other",
      async (name) => {
        const text = `{"${name}":"v"}`;
        const { status, body, text: said } = await schedule(text);
        if (/[A-Z]/.test(name)) return expect(body.errors[0].field).toBe(`labels.${name}`);
        expect(status, said).toBe(200);
        expect(JSON.stringify(body.labels)).toBe(text);
        const batch = await service.ok("POST", "/v1/messages/batch", {
          body: `{"messages":[${messageWith(text)}]}`,
        });
        const [{ message }] = batch.results;
        for (const { messageId } of [body, message]) {
          const read = await service.ok("GET", `/v1/messages/${messageId}`);
          expect(JSON.stringify(read.labels)).toBe(text);
          await cancel(messageId);
        }
      },
    );

    test.each([...oddIds.filter((id) => !["_", ".."].includes(id)), `a${"😀".repeat(30)}`])(
      "not the name %j",
      async (name) => {
        const before = await everything();
        const answer = await schedule(JSON.stringify({ [name]: "v" }));
        expect(answer.status, answer.text).toBe(400);
        const [{ field, message }] = answer.body.errors;
        expect(field).toBe(`labels.${name.slice(0, 40).toWellFormed()}`);
        expect(message).toMatch(/^Name a label with/);
        expect(await everything()).toStrictEqual(before);
      },
    );

    test.each(["\0", "a\0b", "a\nb", "\u001b", "\u007f", "\ud83d"])(
      "not the value %j",
      async (value) => {
        const before = await everything();
        const answer = await schedule(JSON.stringify({ a: value }));
        expectRefusal(answer, 400, { code: "E-DI-1001", field: "labels.a" });
        expect(await everything()).toStrictEqual(before);
      },
    );
  });

  test.each(oddIds)("as a credential: %j", async (text) => {
    const form = { grant_type: "client_credentials", client_id: text, client_secret: text };
    const refused = await sendForm(subject, "/oauth/token", form);
    expect([refused.status, refused.body.error]).toEqual([401, "invalid_client"]);
    const revoked = await sendForm(subject, "/oauth/revoke", { token: text }, basic(text, text));
    expect([revoked.status, revoked.body.error]).toEqual([401, "invalid_client"]);
    const visible = /^[!-~]+$/.test(text) ? text : "x";
    for (const key of [`pd_${visible}`, visible, `pdo_${visible}`, `${visible}.a.b`]) {
      expectRefusal(await service.api("GET", "/v1/keys", { key }), 401, { code: "E-DI-2001" });
    }
    for (const claim of ["tenant", "sub", "jti"]) {
      const token = await subject.issuer.token({ [claim]: `${text}\0` });
      expectRefusal(await service.api("GET", "/v1/keys", { key: token }), 401, {
        code: "E-DI-2001",
      });
    }
  });
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** The names of a body's fields, and of the fields of the objects in its lists. */
function* fieldsOf(schema: Schema, named: Readonly<Record<string, Schema>>): Generator<string> {
  const { properties = {}, items } =
    schema.$ref === undefined ? schema : named[schema.$ref.split("/").at(-1)!]!;
  if (items !== undefined) yield* fieldsOf(items, named);
  for (const [name, part] of Object.entries(properties)) {
    yield name;
    yield* fieldsOf(part, named);
  }
}

function* namesIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    yield name;
    yield* namesIn(part);
  }
}
