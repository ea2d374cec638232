import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage, wireTarget } from "../testing/samples.ts";

const byKey = ["--target", "mail", "--message-key", "digest of 17"];
const path = "/v1/targets/mail/keys/digest%20of%2017";

test.each([
  [["get", ...byKey], `GET ${path}`, undefined],
  [["cancel", ...byKey], `POST ${path}/cancel`, undefined],
  [["reschedule", ...byKey, "--in", "1h"], `POST ${path}/reschedule`, { delayMs: 3_600_000 }],
])("%j names the message by its key", async (argv, asked, body) => {
  const terminal = await connected(() => ({ json: wireMessage() }));
  expect(await terminal.run(...argv)).toBe(0);
  expect(terminal.stdout.text).toContain(messageId);
  expect(await terminal.run(...argv, "--json")).toBe(0);
  expect(terminal.asked.map((each) => `${each.method} ${each.path}`)).toEqual([asked, asked]);
  expect(terminal.asked[0]!.body).toEqual(body);
});

test.each([
  [["--not-after", "2h"], { notAfterMs: 7_200_000 }],
  [["--not-after", "2027-01-01T09:00:00Z"], { notAfter: "2027-01-01T09:00:00Z" }],
  [["--no-not-after"], { notAfter: null }],
])("reschedule %j changes the end too", async (argv, bound) => {
  const terminal = await connected(() => ({ json: wireMessage() }));
  expect(await terminal.run("reschedule", messageId, "--in", "1h", ...argv)).toBe(0);
  expect(terminal.asked[0]!.body).toEqual({ delayMs: 3_600_000, ...bound });
});

test.each([["get"], ["cancel"], ["reschedule", "--in", "1h"]])(
  "%s refuses to guess which message is meant",
  async (...command) => {
    const terminal = await connected(() => ({ json: wireMessage() }));
    for (const [words, said] of [
      [[], "name the message, by its id or with --target and --message-key"],
      [[messageId, ...byKey], "give either an id, or --target and --message-key"],
      [["--message-key", "k"], "say whose key it is, with --target\n"],
    ] as const) {
      expect(await terminal.run(...command, ...words)).toBe(2);
      expect(terminal.stderr.text).toContain(`error: ${said}`);
    }
    expect(terminal.asked).toEqual([]);
  },
);

test("get by a target needs a key, as it shows one message", async () => {
  const terminal = await connected(() => ({ json: wireMessage() }));
  expect(await terminal.run("get", "--target", "mail")).toBe(2);
  expect(terminal.stderr.text).toContain(
    "error: say which key, with --message-key (--key is the API key)\n",
  );
});

const noTarget = { errors: [{ code: "E-DI-3004", message: "There is no such target." }] };
const missing = { errors: [{ code: "E-DI-5001", message: "No scheduled message …" }] };

test.each([["get"], ["cancel"], ["reschedule", "--in", "1h"]])(
  "%s of a key that nobody has ends with 4, and says whether the target is there",
  async (...command) => {
    const terminal = await connected(({ method, path: asked }) => {
      if (asked.startsWith("/v1/targets?")) return { json: { items: [wireTarget()] } };
      if (asked === "/v1/targets/billing") return { json: wireTarget() };
      if (asked === "/v1/targets/biling") return { status: 404, json: noTarget };
      return method === "GET" ? { status: 404 } : { status: 404, json: missing };
    });
    const run = (target: string) =>
      terminal.run(...command, "--target", target, "--message-key", "k");
    expect(await run("billing")).toBe(4);
    expect(terminal.stderr.text).toBe(
      "No pending message of billing has the key k. It may have ended meanwhile.\n",
    );
    expect(await run("biling")).toBe(4);
    expect(terminal.stderr.text).toContain("There is no target biling. Did you mean billing?\n");
  },
);
