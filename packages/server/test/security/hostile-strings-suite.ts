import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { farAway, patiently } from "../support/shared-service.ts";
import { attackedPaths, attackedRoutes } from "./attacked-routes.ts";
import type { AttackedRoute } from "./attacked-routes.ts";
import { hostileStrings, shortened } from "./hostile-strings.ts";
import { processorMs } from "./processor-time.ts";
import { operatorKey } from "./subject.ts";
import type { Subject } from "./subject.ts";

/** The HTTP parser accepts 16 KiB for the first line and all headers together. */
const longestPart = 12_000;
const parts = hostileStrings.map((text) => shortened(text, longestPart));
/** A form may have 8 KiB. */
const forms = hostileStrings.map((text) => shortened(text, 7_800));

/** The body with one text after the other replaced, and with an extra field in each object. */
function* changed(value: unknown, hostile: string): Generator {
  if (typeof value === "string") yield hostile;
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    for (const other of changed(part, hostile)) {
      const copy = structuredClone(value) as Record<string, unknown>;
      copy[name] = other;
      yield copy;
    }
  }
  if (!Array.isArray(value)) yield { ...value, [hostile]: "x" };
}

/** The body with a text in place of every value that is not a text. */
function changedThroughout(value: unknown, hostile: string): unknown {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return hostile;
  if (Array.isArray(value)) return value.map((part) => changedThroughout(part, hostile));
  const parts = Object.entries(value).map(([name, part]) => [
    name,
    changedThroughout(part, hostile),
  ]);
  return Object.fromEntries(parts);
}

const emptyBody = "{}";

type Call = () => Promise<ApiAnswer>;

/**
 * Puts long texts of the worst kind wherever a text is possible. The server answers each, and none takes
 * much longer than a plain request in the same run.
 */
export function hostileStringsSuite(subject: Subject): void {
  const { service } = subject;
  let ids: Readonly<Record<string, string>>;
  let plainMs: number;
  let plainWorkMs: number;

  const timed = async (call: Call) => {
    const begun = performance.now();
    const answer = await call();
    return { answer, ms: performance.now() - begun };
  };
  /** Measures CPU time. A busy machine makes everything late but adds nothing to this. */
  const workOf = async (what: string, call: Call): Promise<number> => {
    const before = await processorMs(service);
    await ask(what, call);
    return (await processorMs(service)) - before;
  };

  beforeAll(async () => {
    const { targetId } = await service.target();
    const body = { targetId, deliveryTime: farAway, payload: "p".repeat(50_000) };
    const { messageId } = await service.ok("POST", "/v1/messages", { body });
    const { accountId } = await subject.account();
    ids = { targetId, messageId, accountId, keyId: "nobody", clientId: "nobody" };
    const times: number[] = [];
    const works: number[] = [];
    for (let count = 0; count < 21; count++) {
      const bad = { ...body, deliveryTime: "soon" };
      const call = () => service.api("POST", "/v1/messages", { body: bad });
      times.push((await timed(call)).ms);
      works.push(await workOf("plain", call));
    }
    const middle = (measured: number[]): number =>
      measured.toSorted((one, other) => one - other)[10]!;
    plainMs = middle(times);
    plainWorkMs = middle(works);
  });

  const allowedMs = (): number => 25 * plainMs + 50;
  const allowedWorkMs = (): number => 25 * plainWorkMs + 50;
  const ask = async (what: string, call: Call): Promise<number> => {
    const { answer, ms } = await timed(call);
    // Such a request is measured again alone. If it made the server late, it is slow there too.
    if (answer.status === 503 || answer.status === 429) return Infinity;
    const statuses = [200, 201, 400, 401, 403, 404, 409, 413, 415, 431];
    expect(statuses, `${what}: ${answer.text}`).toContain(answer.status);
    // This call contains nothing hostile. It is accepted, and may have to wait for other nodes on purpose.
    return what === emptyBody ? 0 : ms;
  };

  /**
   * Sends many at once, because there are thousands. A slow request may only have waited for others, so it
   * is measured again alone, up to three times, by the CPU time that the server spends on it.
   */
  const expectQuick = async (attacks: readonly (readonly [string, Call])[]): Promise<void> => {
    const slow: (readonly [string, Call])[] = [];
    const left = attacks.values();
    const askOn = async (): Promise<void> => {
      for (const [what, call] of left) {
        if ((await ask(what, call)) > allowedMs()) slow.push([what, call]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, askOn));
    if (slow.length > 0) await vi.waitFor(() => service.ok("GET", "/v1/keys"), patiently);
    for (const [what, call] of slow) {
      let leastMs = Infinity;
      for (let tries = 0; tries < 3 && leastMs > allowedWorkMs(); tries++) {
        leastMs = Math.min(leastMs, what === emptyBody ? 0 : await workOf(what, call));
      }
      expect(leastMs, what).toBeLessThan(allowedWorkMs());
    }
  };

  const pathOf = (template: string): string =>
    template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
  const keyFor = ({ as }: AttackedRoute) =>
    as === "operator" ? { key: operatorKey } : as === "nobody" ? { key: null } : {};
  const headersOf = ({ isForm }: AttackedRoute): Record<string, string> =>
    isForm === true ? { "content-type": "application/x-www-form-urlencoded" } : {};

  describe("in every field of a body", () => {
    test.each(attackedRoutes.filter(({ body }) => body !== undefined))(
      "$route",
      async (attacked) => {
        const [method = "", template = ""] = attacked.route.split(" ");
        const isForm = attacked.isForm === true;
        const hostile = isForm ? forms : hostileStrings;
        const values = hostile.flatMap((text) => [
          ...changed(attacked.body, text),
          changedThroughout(attacked.body, text),
        ]);
        await expectQuick(
          values.map((value) => {
            const body = isForm
              ? new URLSearchParams(value as Record<string, string>).toString()
              : JSON.stringify(value);
            const call = { body, headers: headersOf(attacked), ...keyFor(attacked) };
            return [body.slice(0, 300), () => service.api(method, pathOf(template), call)];
          }),
        );
      },
    );
  });

  describe("as every id and parameter", () => {
    const addressed = attackedRoutes.filter(
      ({ route, query }) => route.includes("{") || query !== undefined,
    );
    test.each(addressed)("$route", async (attacked) => {
      const [method = "", template = ""] = attacked.route.split(" ");
      const call = {
        ...keyFor(attacked),
        ...(attacked.body === undefined ? {} : { body: attacked.body }),
      };
      const paths = parts.flatMap((text) => [
        ...attackedPaths(template, text, ids),
        ...(attacked.query ?? []).map(
          (name) => `${pathOf(template)}?${name}=${encodeURIComponent(text)}`,
        ),
      ]);
      await expectQuick(
        paths.map((path) => [path.slice(0, 300), () => service.api(method, path, call)]),
      );
    });
  });

  const visible = parts.filter((text) => /^[\t -~]*$/.test(text));
  test.each([
    ["authorization", ["Bearer ", "Bearer pd_", "Bearer a.b.", "Basic ", ""]],
    ["content-type", ["application/json; ", "application/json; charset=", ""]],
    ["idempotency-key", [""]],
    ["x-request-id", [""]],
  ])("as the header %s", async (name, beginnings) => {
    const body = { targetId: ids["targetId"], deliveryTime: "soon", payload: "" };
    const values = visible.flatMap((text) =>
      beginnings.map((beginning) => `${beginning}${text}`.trim()),
    );
    await expectQuick(
      values.flatMap((value) => {
        const headers = { [name]: value };
        const form = {
          key: null,
          body: "grant_type=client_credentials",
          headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        };
        return [
          [value.slice(0, 99), () => service.api("POST", "/v1/messages", { body, headers })],
          [value.slice(0, 99), () => service.api("POST", "/oauth/token", form)],
        ] as const;
      }),
    );
  });

  test("as an unknown path", async () => {
    const paths = parts
      .map(encodeURIComponent)
      .flatMap((encoded) => [`/${encoded}`, `/v1/${encoded}`, `/docs/${encoded}`]);
    await expectQuick(
      [...paths, "/".repeat(longestPart)].map((path) => [
        path.slice(0, 99),
        () => service.api("GET", path),
      ]),
    );
  });
}
