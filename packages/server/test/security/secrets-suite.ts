import { hash } from "node:crypto";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { rootKey } from "../support/server-process.ts";
import { patiently } from "../support/shared-service.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { secretsIn } from "./find-secrets.ts";
import type { Secrets } from "./find-secrets.ts";
import { misplaceSecret, useCredentials, useTargetSecrets } from "./spill-secrets.ts";
import { encryptionKey, operatorKey } from "./subject.ts";
import type { Subject } from "./subject.ts";

const payload = "the payload, which is kept and shown as it is";
/** Their owner may read this, where targets are read. */
const shownWithTargets = ["the query of a target's url"];

/** Secrets are shown to whom they are made for, once, and written down nowhere else. */
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
    // What was written before this line of the log is there once the line is.
    const headers = { "x-request-id": "every-secret-was-used" };
    await service.ok("GET", "/v1/targets", { headers });
    await vi.waitFor(() => {
      if (!service.server.output().includes("every-secret-was-used")) throw new Error("not yet");
    }, patiently);
  }, 120_000);

  test("there are as many as there should be", () => {
    expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(25);
    expect(Object.keys(misplaced).length).toBeGreaterThan(500);
  });

  test("the log has none of them, nor a payload", () => {
    const output = service.server.output();
    for (const messageId of messageIds) expect(output).toContain(messageId);
    expect(secretsIn(output, { ...secrets, payload })).toEqual([]);
  });

  test("a refusal does not repeat one that was sent to the wrong place", () => {
    const repeated = Object.entries(misplaced).filter(
      ([, said]) => secretsIn(said, secrets).length > 0,
    );
    expect(repeated.map(([place]) => place)).toEqual([]);
  });

  test("the answers to changes of targets have none of them", () => {
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

    test.each(readable.filter(({ parameters }) => parameters.length === 0))(
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

    test("the description of the API has none of them", async () => {
      expect(secretsIn(await readAs("/openapi.json", rootKey), secrets)).toEqual([]);
    });

    test("the target shows its url, no value of a header and no secret that signs", async () => {
      const found = secretsIn(await readAs(`/v1/targets/${targetId}`, rootKey), secrets);
      expect(found.toSorted()).toEqual(shownWithTargets.toSorted());
    });

    test("messages and their attempts have none of them", async () => {
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

    test("holds payloads as they are, and hashes of keys: a secret would be found", () => {
      const key = secrets["an account's first key"] as string;
      const expected = { payload, hash: hash("sha256", key, "hex") };
      expect(secretsIn(dump, expected)).toEqual(["payload", "hash"]);
    });

    test("holds none of the secrets", () => {
      expect(secretsIn(dump, secrets)).toEqual([]);
    });
  });
}
