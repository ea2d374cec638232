import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { apiDocument } from "./api-document.ts";

interface Operation {
  readonly operationId: string;
  readonly tags: string[];
  readonly summary: string;
  readonly security: object[];
}

const committed = new URL("../../../../contract/openapi.json", import.meta.url);

test("the committed description is the one this code makes (npm run docs:reference)", async () => {
  expect(await readFile(committed, "utf8")).toBe(await apiDocument(manifest.version));
});

test("every reference leads somewhere, every operation is named, grouped and guarded", async () => {
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
      expect(operation.security.length > 0).toBe(path.startsWith("/v1/"));
    }
  }
});
