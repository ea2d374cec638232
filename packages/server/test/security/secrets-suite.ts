import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { rootKey } from "../support/server-process.ts";
import { patiently } from "../support/shared-service.ts";
import { browserOf } from "./browser.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { secretsIn } from "./find-secrets.ts";
import type { Secrets } from "./find-secrets.ts";
import { misplaceSecret, useCredentials, useTargetSecrets } from "./spill-secrets.ts";
import { encryptionKey, operatorKey } from "./subject.ts";
import type { Subject } from "./subject.ts";

const payload = "the payload, which is kept and shown as it is";
/** The owner may read this where it reads targets. */
const shownWithTargets = ["the query of a target's url"];

/** The service shows a secret once, to the caller it is made for, and writes it nowhere else. */
export function secretsSuite(subject: Subject): void {
  const { service } = subject;
  let secrets: Secrets;
  let messageIds: readonly string[];
  let targetId: string;
  let changes: string;
  const misplaced: Record<string, string> = {};

  beforeAll(async () => {
    const ofTarget = await useTargetSecrets(subject, payload);
    ({ messageIds, targetId, changes } = ofTarget);
    secrets = {
      "the root key": rootKey,
      "the operator's key": operatorKey,
      "the encryption key": encryptionKey,
      "the bytes of the encryption key": Buffer.from(encryptionKey, "hex"),
      ...subject.secrets(),
      ...ofTarget.secrets,
      ...(await useCredentials(subject)),
    };
    for (const [name, secret] of Object.entries(secrets)) {
      if (typeof secret !== "string") continue;
      for (const [place, said] of Object.entries(await misplaceSecret(subject, secret))) {
        misplaced[`${name} as ${place}`] = said;
      }
    }
    // When this line is in the log, everything logged before it is there too.
    const headers = { "x-request-id": "every-secret-was-used" };
    await service.ok("GET", "/v1/targets", { headers });
    await vi.waitFor(() => {
      if (!service.server.output().includes("every-secret-was-used")) throw new Error("not yet");
    }, patiently);
  }, 120_000);

  // Other suites compare what there is, and this one would go on telling.
  afterAll(async () => {
    for (const endpointId of ["told", "spilled"]) {
      await service.ok("DELETE", `/v1/event-endpoints/${endpointId}`);
    }
  });

  test("the expected number of secrets is in use", () => {
    expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(25);
    expect(Object.keys(misplaced).length).toBeGreaterThan(500);
  });

  test("the log contains no secret and no payload", () => {
    const output = service.server.output();
    for (const messageId of messageIds) expect(output).toContain(messageId);
    expect(secretsIn(output, { ...secrets, payload })).toEqual([]);
  });

  test("a refusal does not repeat a secret that was sent in the wrong field", () => {
    const repeated = Object.entries(misplaced).filter(
      ([, said]) => secretsIn(said, secrets).length > 0,
    );
    expect(repeated.map(([place]) => place)).toEqual([]);
  });

  test("an excerpt of what a target answered hides the headers that the message brought", async () => {
    const echoed = await service.ok("GET", `/v1/messages/${messageIds[1]}/attempts`);
    expect(echoed.attempts[0].response).toContain('"x-message":"[header value]"');
    expect(secretsIn(JSON.stringify(echoed), secrets)).toEqual([]);
  });

  test("the answers to changes of targets and schedules contain no secret", () => {
    expect(changes).toContain(`"x-later":"set"`);
    expect(secretsIn(changes, secrets)).toEqual([]);
  });

  describe("reading", () => {
    const readable = documentedRoutes.filter(({ method }) => method === "GET");
    const readAs = async (path: string, key: string): Promise<string> => {
      const answer = await service.api("GET", path, { key });
      expect(answer.status, answer.text).toBe(200);
      return `${[...answer.headers].join("\n")}\n${answer.text}`;
    };

    test.each(readable.filter(({ of, parameters }) => of !== "session" && parameters.length === 0))(
      "$path has none of them",
      async ({ path, of, query }) => {
        const where = query.includes("limit") ? `${path}?limit=100` : path;
        const found = secretsIn(
          await readAs(where, of === "operator" ? operatorKey : rootKey),
          secrets,
        );
        const shown = path === "/v1/targets" ? shownWithTargets : [];
        expect(found.filter((name) => !shown.includes(name))).toEqual([]);
      },
    );

    test("a session shows no secret of its own, but once to the browser", async () => {
      const { cookieFor, ask } = browserOf(subject);
      const cookie = await cookieFor(rootKey);
      const answer = await ask(cookie, "GET", "/v1/session");
      expect(answer.status).toBe(200);
      const said = `${[...answer.headers].join("\n")}\n${answer.text}`;
      expect(secretsIn(said, { ...secrets, session: cookie.split("=")[1]! })).toEqual([]);
    });

    test("the description of the API contains no secret", async () => {
      expect(secretsIn(await readAs("/openapi.json", rootKey), secrets)).toEqual([]);
    });

    test("the target shows its url, but no header value and no signing secret", async () => {
      const found = secretsIn(await readAs(`/v1/targets/${targetId}`, rootKey), secrets);
      expect(found.toSorted()).toEqual(shownWithTargets.toSorted());
    });

    test("a schedule and its runs contain no secret", async () => {
      for (const path of ["/v1/schedules/spilled", "/v1/schedules/spilled/runs"]) {
        expect(secretsIn(await readAs(path, rootKey), secrets)).toEqual([]);
      }
    });

    test("events contain no secret, no payload and no answer", async () => {
      const path = "/v1/event-endpoints/spilled/events?from=oldest&limit=1000";
      const text = await readAs(path, rootKey);
      for (const messageId of messageIds) expect(text).toContain(messageId);
      for (const type of ["message.scheduled", "message.delivered", "schedule.updated"]) {
        expect(text).toContain(`"postdate.${type}.v1"`);
      }
      expect(text).toContain('"x-message":"set"');
      expect(secretsIn(text, { ...secrets, payload })).toEqual([]);
      expect(text).not.toContain("header value");
      const sent = service.receiver.receipts.filter((one) => one.path === "/told");
      expect(sent.length).toBeGreaterThan(1);
      for (const { body } of sent) expect(secretsIn(body, { ...secrets, payload })).toEqual([]);
    });

    test("an event endpoint contains no secret", async () => {
      for (const path of ["", "/told", "/spilled"]) {
        const said = await readAs(`/v1/event-endpoints${path}`, rootKey);
        expect(secretsIn(said, secrets)).toEqual([]);
      }
    });

    test("messages and their attempts contain no secret", async () => {
      for (const messageId of messageIds) {
        for (const part of ["", "/payload", "/attempts"]) {
          const text = await readAs(`/v1/messages/${messageId}${part}`, rootKey);
          expect(secretsIn(text, secrets)).toEqual([]);
        }
      }
    });
  });

  describe("the store", () => {
    let dump: Buffer;
    beforeAll(async () => {
      dump = await subject.dump();
    });

    test("holds plain payloads and hashes of keys, so a search would find a secret", () => {
      const key = secrets["an account's first key"] as string;
      const expected = { payload, hash: hash("sha256", key, "hex") };
      expect(secretsIn(dump, expected)).toEqual(["payload", "hash"]);
    });

    test("holds none of the secrets", () => {
      expect(secretsIn(dump, secrets)).toEqual([]);
    });
  });
}
