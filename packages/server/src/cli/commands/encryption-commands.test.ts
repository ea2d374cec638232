import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";

const status = {
  keyId: "key_new",
  keys: [
    { keyId: "key_new", values: 1_234, inUse: true },
    { keyId: "key_old", values: 5, inUse: true },
  ],
  exact: false,
  asOf: "2026-01-02T00:00:00.000Z",
  nodes: [
    { nodeId: "node-1:1", keyId: "key_new" },
    { nodeId: "node-2:1", keyId: null },
  ],
  rotation: {
    keyId: "key_new",
    state: "RUNNING",
    startTime: "2026-01-02T00:00:00.000Z",
    endTime: null,
    rewritten: 1_000,
    unreadable: 2,
  },
};

test("encryption status shows what each key seals and how far an exchange is, with the operator's key", async () => {
  const terminal = await connected(() => ({ json: status }));
  expect(await terminal.run("encryption", "status")).toBe(0);
  expect(terminal.asked).toMatchObject([{ method: "GET", path: "/v1/encryption" }]);
  expect(terminal.asked[0]!.headers.authorization).toMatch(/^Bearer pdo_/);
  const { text } = terminal.stdout;
  expect(text).toMatch(/key_new +at least 1,234 +yes +yes\n/);
  expect(text).toMatch(/key_old +at least 5 +yes +no\n/);
  expect(text).toMatch(/Exchange +under way, to key_new\n/);
  expect(text).toMatch(/Sealed anew +1,000\n/);
  expect(text).toMatch(/No key opens +2\n/);
  expect(text).toMatch(/Seal with another key +node-2:1\n/);
});

test("encryption rotate asks for an exchange, and JSON stands alone", async () => {
  const rotation = {
    ...status.rotation,
    ...{ state: "DONE", endTime: "2026-01-02T00:01:00.000Z", unreadable: 0 },
  };
  const json = { ...status, exact: true, nodes: [], rotation };
  const terminal = await connected(() => ({ json }));
  expect(await terminal.run("encryption", "rotate")).toBe(0);
  expect(terminal.asked).toMatchObject([{ method: "POST", path: "/v1/encryption/rotate" }]);
  expect(terminal.stdout.text).toMatch(/key_old +5 +yes +no\n[^]*Exchange +done, to key_new\n/);
  expect(terminal.stdout.text).toMatch(/Ended +/);
  expect(terminal.stderr.text).toContain("postdate encryption status");
  const other = await connected(() => ({ json }));
  expect(await other.run("encryption", "rotate", "--json")).toBe(0);
  expect(JSON.parse(other.stdout.text)).toEqual(json);
  expect(other.stderr.text).toBe("");
});
