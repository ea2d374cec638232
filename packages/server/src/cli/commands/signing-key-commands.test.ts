import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";

const items = [
  { keyId: "sig_old", creationTime: "2026-01-01T00:00:00.000Z", state: "SIGNING" },
  { keyId: "sig_new", creationTime: "2026-01-02T00:00:00.000Z", state: "UPCOMING" },
];

test("signing-key list shows which key signs, with the operator's key", async () => {
  const terminal = await connected(() => ({ json: { items } }));
  expect(await terminal.run("signing-key", "list")).toBe(0);
  expect(terminal.asked[0]).toMatchObject({ method: "GET", path: "/v1/signing-keys" });
  expect(terminal.asked[0]!.headers.authorization).toMatch(/^Bearer pdo_/);
  expect(terminal.stdout.text).toMatch(/sig_old +SIGNING[^\n]*\n.*sig_new +UPCOMING/);
});

test("client list says when there is none yet, and prints JSON unchanged", async () => {
  const none = await connected(() => ({ json: { items: [] } }));
  expect(await none.run("client", "list")).toBe(0);
  expect(none.stdout.text).toBe("No OAuth clients yet: postdate client create makes one.\n");
  const json = await connected(() => ({ json: { items: [] } }));
  expect(await json.run("client", "list", "--json")).toBe(0);
  expect(JSON.parse(json.stdout.text)).toEqual({ items: [] });
});

test("signing-key list says when there is none yet, and prints JSON unchanged", async () => {
  const none = await connected(() => ({ json: { items: [] } }));
  expect(await none.run("signing-key", "list")).toBe(0);
  expect(none.stdout.text).toBe("No signing keys yet.\n");
  const json = await connected(() => ({ json: { items } }));
  expect(await json.run("signing-key", "list", "--json")).toBe(0);
  expect(JSON.parse(json.stdout.text)).toEqual({ items });
});

test.each([
  [[], false],
  [["--remove-old"], true],
])("signing-key rotate %j", async (flags, removeOld) => {
  const terminal = await connected(() => ({ json: { items } }));
  expect(await terminal.run("signing-key", "rotate", ...flags)).toBe(0);
  expect(terminal.asked).toMatchObject([
    { method: "POST", path: "/v1/signing-keys/rotate", body: { removeOld } },
  ]);
  expect(terminal.stdout.text).toContain("sig_new");
  expect(terminal.stderr.text).toBe(
    removeOld ? "Every access token issued before is void. Clients get new ones.\n" : "",
  );
});
