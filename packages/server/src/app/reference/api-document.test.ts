import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { scopes } from "../../domain/access.ts";
import { apiDocument } from "./api-document.ts";

interface Operation {
  readonly operationId: string;
  readonly tags: string[];
  readonly summary: string;
  readonly security: object[];
}

const committed = new URL("../../../../contract/openapi.json", import.meta.url);

test("the committed OpenAPI document is the one that this code makes (npm run docs:reference)", async () => {
  expect(await readFile(committed, "utf8")).toBe(await apiDocument(manifest.version));
});

test("every reference resolves, and every operation has a name, a tag and its security", async () => {
  const text = await apiDocument("1.2.3");
  const document = JSON.parse(text);
  expect(document.openapi).toBe("3.1.0");
  expect(document.info.version).toBe("1.2.3");
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    expect(document.components.schemas[name!]).toBeDefined();
  }
  const ids = new Set<string>();
  for (const [path, methods] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const operation of Object.values(methods)) {
      expect(ids.has(operation.operationId)).toBe(false);
      ids.add(operation.operationId);
      expect(operation.tags).toHaveLength(1);
      expect(operation.summary).toBeTruthy();
      // Whoever signs in has no credential yet.
      const isGuarded = path.startsWith("/v1/") && operation.operationId !== "signIn";
      expect(operation.security.length > 0).toBe(isGuarded);
    }
  }
});

test("the document says how to get an access token and which scopes each operation takes", async () => {
  const document = JSON.parse(await apiDocument("1.2.3"));
  const { apiKey, oauth2 } = document.components.securitySchemes;
  expect(apiKey).toMatchObject({ type: "http", scheme: "bearer" });
  const { clientCredentials } = oauth2.flows;
  expect([oauth2.type, clientCredentials.tokenUrl]).toEqual(["oauth2", "/oauth/token"]);
  expect(Object.keys(clientCredentials.scopes)).toEqual([...scopes]);
  const { security } = document.paths["/v1/messages"].post;
  expect(security).toEqual([
    { apiKey: ["scheduler.all.readwrite"] },
    { oauth2: ["scheduler.all.readwrite"] },
    { apiKey: ["scheduler.messages.readwrite"] },
    { oauth2: ["scheduler.messages.readwrite"] },
  ]);
  // The operator has a key and no OAuth client.
  expect(document.paths["/v1/accounts"].post.security).toEqual([{ operatorKey: [] }]);
  const { post, get } = document.paths["/v1/session"];
  expect([post.security, get.security]).toEqual([[], [{ session: [] }]]);
});
