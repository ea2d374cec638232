import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage, wireTarget } from "../testing/samples.ts";

const now = Date.UTC(2026, 10, 14, 9, 30);
const surroundings = { clock: { now: () => now, monotonic: () => 0 }, timeZone: "Europe/Berlin" };
const searchedUntil = "2026-11-13T09:30:00.000Z";

const pageOf = (ids: readonly string[], nextPageToken: string | null = null) => ({
  json: {
    items: ids.map((id) => wireMessage({ messageId: id })),
    nextPageToken,
    searchedUntil: nextPageToken === null ? null : searchedUntil,
  },
});

test.each([
  [["--label", "order=17", "--label", "note=a,b"], "label=order:17,note:a\\,b"],
  [["--state", "dead-letter", "--state", "SCHEDULED"], "state=DEAD_LETTER,SCHEDULED"],
  [["--state", "scheduled,cancelled"], "state=SCHEDULED,CANCELLED"],
  [["--target", "billing", "--oldest"], "targetId=billing&order=oldest"],
  [["--min-time", "1d", "--limit", "5"], "minTime=2026-11-13T09:30:00.000Z&limit=5"],
  [["--max-time", "2026-11-13T09:30:00Z"], "maxTime=2026-11-13T09:30:00Z"],
  [[], ""],
])("find %j asks for what is named", async (argv, query) => {
  const terminal = await connected(() => pageOf(["msg_1"]), surroundings);
  expect(await terminal.run("find", ...argv, "--json")).toBe(0);
  const [path, asked = ""] = terminal.asked[0]!.path.split("?");
  expect(path).toBe("/v1/messages");
  const parts = (text: string) => Object.fromEntries(new URLSearchParams(text));
  expect(parts(asked)).toEqual(parts(query));
  expect(JSON.parse(terminal.stdout.text)).toEqual(pageOf(["msg_1"]).json);
  expect(terminal.stderr.text).toBe("");
});

test("find shows what and where each message is, and what is worth knowing about it", async () => {
  const items = [
    wireMessage({ nextDeliveryTime: "2026-11-14T09:40:00.000Z" }),
    wireMessage({ state: "DEAD_LETTER", deadLetterReason: "NOT_AFTER", targetId: "mail" }),
    wireMessage({ state: "CANCELLED", cancellationReason: "REPLACED" }),
    wireMessage({ state: "DELIVERED", lastDeliveryTime: "2026-11-14T09:00:00.000Z" }),
  ];
  const terminal = await connected(
    () => ({ json: { items, nextPageToken: null, searchedUntil: null } }),
    surroundings,
  );
  expect(await terminal.run("find", "--label", "order=17")).toBe(0);
  const rows = terminal.stdout.text.trimEnd().split("\n");
  expect(rows.map((line) => line.split(/ {2,}/))).toEqual([
    ["MESSAGE", "STATE", "TARGET", "SCHEDULED", "DETAIL"],
    [messageId, "SCHEDULED", "billing", "2026-11-14T09:29:55.000Z (5 s ago)", "due in 10 min"],
    [
      messageId,
      "DEAD_LETTER",
      "mail",
      "2026-11-14T09:29:55.000Z (5 s ago)",
      "its not-after time came first",
    ],
    [
      messageId,
      "CANCELLED",
      "billing",
      "2026-11-14T09:29:55.000Z (5 s ago)",
      "another message took its place",
    ],
    [messageId, "DELIVERED", "billing", "2026-11-14T09:29:55.000Z (5 s ago)", "30 min ago"],
  ]);
});

test.each([
  [
    pageOf(["msg_1"], "t"),
    [],
    "Searched back to 2026-11-13T10:30:00+01:00 (Europe/Berlin, 1 d ago): --all searches the rest.\n",
  ],
  [
    pageOf([], "t"),
    [],
    "None so far. Searched back to 2026-11-13T10:30:00+01:00 (Europe/Berlin, 1 d ago): --all searches the rest.\n",
  ],
  [
    pageOf([], "t"),
    ["--oldest"],
    "None so far. Searched up to 2026-11-13T10:30:00+01:00 (Europe/Berlin, 1 d ago): --all searches the rest.\n",
  ],
  [pageOf(["msg_1"], "t"), ["--limit", "1"], "There is more: --all shows everything.\n"],
  [pageOf([]), [], "No message matches.\n"],
  [pageOf(["msg_1"]), [], ""],
])("find says how far it searched", async (page, argv, said) => {
  const terminal = await connected(() => page, surroundings);
  expect(await terminal.run("find", ...argv)).toBe(0);
  expect(terminal.stderr.text).toBe(said);
});

test("find --all goes on where a page is empty, and has one heading", async () => {
  const pages = [pageOf([], "a"), pageOf(["msg_1"], "b"), pageOf([], "c"), pageOf(["msg_2"])];
  const terminal = await connected((_asked, index) => pages[index]!, surroundings);
  expect(await terminal.run("find", "--all")).toBe(0);
  expect(terminal.stdout.text.match(/^\S+/gm)).toEqual(["MESSAGE", "msg_1", "msg_2"]);
  expect(terminal.stderr.text).toBe("");
});

test("find --all says once that nothing matches, at the end", async () => {
  const pages = [pageOf([], "a"), pageOf([])];
  const terminal = await connected((_asked, index) => pages[index % 2]!, surroundings);
  expect(await terminal.run("find", "--all")).toBe(0);
  expect([terminal.stdout.text, terminal.stderr.text]).toEqual(["", "No message matches.\n"]);
});

test("find of a misspelt target is an error", async () => {
  const errors = [{ code: "E-DI-3004", message: "There is no such target." }];
  const terminal = await connected(({ path }) => {
    if (path.startsWith("/v1/messages")) return pageOf([]);
    if (path.startsWith("/v1/targets?")) return { json: { items: [wireTarget()] } };
    return { status: 404, json: { errors } };
  });
  expect(await terminal.run("find", "--target", "biling")).toBe(4);
  expect(terminal.stderr.text).toBe("There is no target biling. Did you mean billing?\n");
});

test.each([
  [["--label", "order:17"], /^--label must look like order=17/],
  [["--state", "done"], /^--state must be one of SCHEDULED, DELIVERED, DEAD_LETTER, CANCELLED/],
  [["--min-time", "soon"], /^--min-time is not a time/],
  [["--limit", "0"], /^--limit/],
])("find %j is refused, and nothing is asked", async (argv, message) => {
  const terminal = await connected(() => pageOf([]));
  expect(await terminal.run("find", ...argv)).toBe(2);
  expect(terminal.stderr.text).toMatch(message);
  expect(terminal.asked).toEqual([]);
});
