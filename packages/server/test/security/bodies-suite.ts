import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { expectRefusal } from "../support/expectations.ts";
import { farAway, patiently } from "../support/shared-service.ts";
import { attackedRoutes } from "./attacked-routes.ts";
import { sendForm } from "./oauth-client.ts";
import { operatorKey } from "./subject.ts";
import type { Subject } from "./subject.ts";

const url = "https://hooks.example.com/in";
const inherited = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

type Path = readonly (string | number)[];

/** The paths of all objects inside a body. */
function objectsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, part]) =>
    objectsIn(part, [...at, Array.isArray(value) ? Number(name) : name]),
  );
  return Array.isArray(value) ? inner : [at, ...inner];
}

/** The body as text, with `more` added to the object at this path. */
function withMore(body: unknown, at: Path, more: string): string {
  const [first, ...rest] = at;
  if (first === undefined) {
    const inner = JSON.stringify(body).slice(1);
    return inner === "}" ? `{${more}}` : `{${more},${inner}`;
  }
  const parts = Object.entries(body as object).map(([name, part]) => {
    const text = name === String(first) ? withMore(part, rest, more) : JSON.stringify(part);
    return Array.isArray(body) ? text : `${JSON.stringify(name)}:${text}`;
  });
  return Array.isArray(body) ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
}

const fieldAt = (at: Path, name: string): string =>
  [...at, name]
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`,
    )
    .join("");

/** Repeats a call that a server on a busy machine refuses for its load. */
function insist(call: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  return vi.waitFor(async () => {
    const answer = await call();
    if (answer.status === 503) throw new Error(answer.text);
    return answer;
  }, patiently);
}

/** Bodies with hidden meaning: inherited names, repeated fields, and bodies far too large. */
export function bodiesSuite(subject: Subject): void {
  const { service } = subject;
  let ids: Readonly<Record<string, string>>;
  let before: unknown;

  const everything = async () => {
    const paths = [
      ...["/v1/keys", "/v1/clients", "/v1/usage", `/v1/targets/${ids["targetId"]}`],
      ...[`/v1/messages/${ids["messageId"]}`, `/v1/schedules/${ids["scheduleId"]}`],
      `/v1/event-endpoints/${ids["endpointId"]}`,
    ];
    return [
      ...(await Promise.all(paths.map((path) => service.ok("GET", path)))),
      await subject.manage("GET", `/v1/accounts/${ids["accountId"]}`),
    ];
  };

  beforeAll(async () => {
    const { targetId } = await service.target();
    const body = { targetId, deliveryTime: farAway, payload: "" };
    const { messageId } = await service.ok("POST", "/v1/messages", { body });
    const { accountId } = await subject.account();
    const access = { name: "bodies", scopes: ["scheduler.messages.read"] };
    const { clientId } = await service.ok("POST", "/v1/clients", { body: access });
    const scheduled = { targetId, payload: "", cron: "@daily", startTime: farAway };
    const made = await service.api("POST", "/v1/schedules", { body: scheduled });
    const { scheduleId } = made.body;
    const told = { kind: "webhook", url, types: ["endpoint.disabled"] };
    const { endpointId } = (await service.api("POST", "/v1/event-endpoints", { body: told })).body;
    ids = { targetId, messageId, accountId, clientId, scheduleId, endpointId };
    before = await everything();
  });

  const send = (route: string, body: string) => {
    const [method = "", template = ""] = route.split(" ");
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
    const { as, headers = {} } = attackedRoutes.find((one) => one.route === route)!;
    const credential = as === "operator" ? { key: operatorKey } : {};
    return service.api(method, path, { body, headers, ...credential });
  };

  const ofJson = attackedRoutes.filter(({ body, isForm }) => body !== undefined && !isForm);
  const places = ofJson.flatMap(({ route, body }) =>
    objectsIn(body).map((at) => ({ route, body, at, place: at.join(".") || "the body" })),
  );
  // Names of headers are free, except `__proto__` and the other reserved ones, and so are names of labels.
  const closed = places.filter(({ at }) => at.at(-1) !== "headers" && at.at(-1) !== "labels");

  describe("a field that every object inherits counts as unknown", () => {
    test.each(closed)("$route: $place", async ({ route, body, at }) => {
      for (const name of inherited) {
        const values = ['{"paused":true,"isAdmin":true}', "null"];
        for (const value of values) {
          const answer = await send(route, withMore(body, at, `"${name}":${value}`));
          const field = fieldAt(at, name);
          if (route.endsWith("/batch") && at.length > 0) {
            expect(answer.status, answer.text).toBe(200);
            const problems = answer.body.results[0].errors.map(
              (one: { field: string }) => one.field,
            );
            expect(problems).toContain(fieldAt(at.slice(2), name));
          } else {
            expect(answer.status, answer.text).toBe(400);
            expect(answer.body.errors).toContainEqual(
              expect.objectContaining({ code: "E-DI-1001", field }),
            );
          }
        }
      }
      expect(await everything()).toStrictEqual(before);
    });

    test.each(inherited)("%s as a parameter", async (name) => {
      for (const path of ["/v1/targets", "/v1/keys", "/v1/audit-log", "/v1/usage"]) {
        const answer = await service.api("GET", `${path}?${name}=1`);
        expectRefusal(answer, 400, { code: "E-DI-1001", field: name });
      }
    });

    test.each(inherited)("%s in a form", async (name) => {
      const form = { grant_type: "client_credentials", [name]: "1", [`${name}[a]`]: "1" };
      const answer = await sendForm(subject, "/oauth/token", form);
      expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);
    });

    test("the server is unharmed afterwards", async () => {
      const { targetId, paused } = await service.ok("POST", "/v1/targets", { body: { url } });
      expect(paused).toBe(false);
      await service.ok("DELETE", `/v1/targets/${targetId}`);
      const { headers } = await service.ok("GET", `/v1/targets/${ids["targetId"]}`);
      expect(headers).toEqual({});
    });
  });

  describe("a field given twice is refused by name, whatever its value", () => {
    test.each(places)("$route: $place", async ({ route, body, at }) => {
      const object = at.reduce<unknown>(
        (part, step) => (part as Record<string | number, unknown>)[step],
        body,
      ) as object;
      const [name, value] = Object.entries(object)[0] ?? ["a", 1];
      const text = JSON.stringify(value);
      const spelt = JSON.stringify(name).replace(
        /\w/,
        (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`,
      );
      const twice =
        object === body && Object.keys(object).length === 0
          ? [`"a":1,"a":1`]
          : [`${JSON.stringify(name)}:${text}`, `${spelt}:null`];
      for (const more of twice) {
        const answer = await send(route, withMore(body, at, more));
        expectRefusal(answer, 400, { code: "E-DI-1001", field: fieldAt(at, name) });
      }
      expect(await everything()).toStrictEqual(before);
    });

    test("in a form, without repeating its value", async () => {
      const form = "grant_type=client_credentials&client_id=a&client_secret=one&client_secret=two";
      const answer = await service.api("POST", "/oauth/token", {
        key: null,
        body: form,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
      expect(answer.text).not.toMatch(/one|two/);
    });
  });

  describe("bodies that are far too large", () => {
    const scheduling = (payload: string): string =>
      `{"targetId":"nobody","deliveryTime":"${farAway}","payload":${payload}}`;
    const deep = 100_000;
    const many = 1_000_000;
    test.each([
      ["lists that are never closed", "[".repeat(deep)],
      ["objects that are never closed", '{"a":'.repeat(deep)],
      ["lists in lists", `{"a":${"[".repeat(deep)}${"]".repeat(deep)}}`],
      ["objects in objects", `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`],
      ["a deep field", scheduling(`${"[".repeat(deep)}${"]".repeat(deep)}`)],
      ["a deep batch", `{"messages":[${"[".repeat(deep)}${"]".repeat(deep)}]}`],
      ["a thousand deep", `{"a":${"[".repeat(1_000)}${"]".repeat(1_000)}}`],
      ["deeper than any operation takes", `${'{"a":'.repeat(22)}1${"}".repeat(22)}`],
      ["half a million entries", `{"a":[${"1,".repeat(many / 2)}1]}`],
      [
        "fifty thousand fields",
        `{${Array.from({ length: 50_000 }, (_, index) => `"f${index}":1`).join()}}`,
      ],
    ])("%s", async (_, body) => {
      for (const path of ["/v1/messages", "/v1/messages/batch", "/v1/targets"]) {
        const answer = await insist(() => service.api("POST", path, { body }));
        expectRefusal(answer, 400, { code: "E-DI-1001" });
      }
    });

    test("a million entries in a batch", async () => {
      const body = `{"messages":[${"{},".repeat(many)}{}]}`;
      const answer = await insist(() => service.api("POST", "/v1/messages/batch", { body }));
      expectRefusal(answer, 400, { code: "E-DI-1001" });
      await insist(() => service.api("GET", "/v1/keys"));
    });

    const expectNoNumber = async (number: string): Promise<void> => {
      const path = `/v1/targets/${ids["targetId"]}`;
      for (const change of [
        `"timeoutMs":${number}`,
        `"rateLimit":{"max":${number},"intervalMs":1}`,
      ]) {
        const body = `{${change}}`;
        const answer = await service.api("PATCH", path, { body });
        expect([answer.status, answer.body.errors?.[0]?.code], body.slice(0, 99)).toEqual([
          400,
          "E-DI-1001",
        ]);
      }
      expect(await everything()).toStrictEqual(before);
    };

    test.each([
      ...["1e400", "-1e400", "1e309", "NaN", "Infinity", "-Infinity", "0x10", "1e999999999", "-"],
      ...["1.0000000000000001e21", "-0.5", "9007199254740993", "00", "+1", "-1", "0", "-0"],
    ])("not the number %s", (number) => expectNoNumber(number));

    test.each([
      ["very long", `1${"0".repeat(100_000)}`],
      ["very small", `0.${"0".repeat(100_000)}1`],
    ])("not a %s number", (_, number) => expectNoNumber(number));
  });
}
