import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { wireTarget } from "../testing/samples.ts";
import type { Answer, Asked } from "../testing/answering-service.ts";

const problem = (code: string, message: string) => ({ errors: [{ code, message }] });
const notFound = problem("E-DI-3004", "There is no such target.");

/** A service with empty lists and these targets. */
function service(...targetIds: readonly string[]) {
  return ({ path }: Asked): Answer => {
    if (/\/(scheduled-messages|dead-letters)/.test(path)) {
      return { json: { items: [], nextPageToken: null } };
    }
    if (path.startsWith("/v1/targets?")) {
      return { json: { items: targetIds.map((targetId) => wireTarget({ targetId })) } };
    }
    const known = targetIds.find((targetId) => path === `/v1/targets/${targetId}`);
    return known === undefined
      ? { status: 404, json: notFound }
      : { json: wireTarget({ targetId: known }) };
  };
}

test.each(["list", "dead-letters"])("%s of a misspelt target is an error", async (command) => {
  const terminal = await connected(service("billing", "shop"));
  expect(await terminal.run(command, "biling")).toBe(4);
  expect(terminal.stderr.text).toBe("There is no target biling. Did you mean billing?\n");
  expect(terminal.stdout.text).toBe("");
  expect(await terminal.run(command, "biling", "--json")).toBe(4);
  expect(await terminal.run(command, "biling", "--all")).toBe(4);
  expect(await terminal.run(command, "billing")).toBe(0);
});

test.each([
  ["send", "biling", "x"],
  ["target", "get", "biling"],
  ["target", "update", "biling", "--rate", "none"],
  ["target", "pause", "biling"],
  ["target", "test", "biling"],
  ["target", "rotate-secret", "biling"],
  ["target", "remove", "biling"],
])("%s %s %s suggests similar names", async (...argv) => {
  const terminal = await connected((asked) =>
    asked.path === "/v1/messages"
      ? { status: 422, json: problem("E-DI-3001", "Create it with POST /v1/targets") }
      : service("billing", "shop")(asked),
  );
  expect(await terminal.run(...argv)).toBe(4);
  expect(terminal.stderr.text).toBe("There is no target biling. Did you mean billing?\n");
});

test("the error for a key that may only send says how to make a target", async () => {
  const terminal = await connected(({ path }) =>
    path === "/v1/messages"
      ? { status: 422, json: problem("E-DI-3001", "Create it with POST /v1/targets") }
      : { status: 403, json: problem("E-DI-2002", "Not allowed.") },
  );
  expect(await terminal.run("send", "biling", "x")).toBe(4);
  expect(terminal.stderr.text).toMatch(/^There is no target biling\. .*`postdate target add`/);
});

test("the error for a name without similar ones says where to look", async () => {
  const terminal = await connected(service("billing"));
  expect(await terminal.run("list", "warehouse")).toBe(4);
  expect(terminal.stderr.text).toBe(
    "There is no target warehouse. `postdate target list` shows all targets, `postdate target add` makes one.\n",
  );
});

test("a key that may not read targets is told that the target was not checked", async () => {
  const terminal = await connected(({ path }) =>
    path.endsWith("scheduled-messages")
      ? { json: { items: [], nextPageToken: null } }
      : { status: 403, json: problem("E-DI-2002", "Not allowed.") },
  );
  expect(await terminal.run("list", "biling")).toBe(0);
  expect(terminal.stderr.text).toBe(
    "No scheduled messages for biling. This key may not check whether the target exists.\n",
  );
});

test("a later page, or a page with items, causes no look-up", async () => {
  const terminal = await connected(service("billing"));
  expect(await terminal.run("list", "biling", "--page-token", "t")).toBe(0);
  expect(terminal.asked).toHaveLength(1);
});
