import { Command, Option } from "commander";
import { expect, test } from "vitest";
import { addTargetAdd } from "../commands/target-add.ts";
import { addTargetUpdate } from "../commands/target-update.ts";
import { readOption } from "../input/read-option.ts";
import { parseDuration } from "../../config/durations.ts";
import { connected } from "../testing/connected-terminal.ts";
import { wireTarget } from "../testing/samples.ts";
import { targetRows } from "../print/targets.ts";
import { paintFor } from "../terminal/colours.ts";
import type { TargetKindCommands } from "./target-kind-commands.ts";
import { webhook } from "./webhook.ts";

/** A second kind, with its own flag and a flag that webhooks have too. */
const mailbox: TargetKindCommands = {
  kind: "mailbox",
  receives: "messages to it go into the mailbox",
  addressField: "mailbox",
  addressTitle: "MAILBOX",
  finalStatuses: [],
  addressOf: (target) => String((target as { mailbox?: unknown }).mailbox),
  flags: () => [new Option("--pin <pin>", "opens it"), new Option("--timeout <duration>", "waits")],
  changeFlags: () => [],
  changeHelp: { flagsWithDefault: ["--timeout"], text: "A pin stays hidden.", examples: [] },
  fieldsOf({ pin, timeout }) {
    return {
      ...(pin !== undefined && { pin }),
      ...(typeof timeout === "string" && {
        timeoutMs: readOption("--timeout", timeout, parseDuration),
      }),
    };
  },
  rowsOf: () => [],
  rewrittenRows: ({ pin }) => (pin === undefined ? [] : ["Pin"]),
};

async function bodyOf(...argv: readonly string[]) {
  const { url: _url, ...others } = wireTarget();
  const terminal = await connected(() => ({ json: { ...others, kind: "mailbox" } }));
  const program = new Command("target").exitOverride();
  addTargetAdd(program, terminal.surroundings, [webhook, mailbox]);
  addTargetUpdate(program, terminal.surroundings, [webhook, mailbox]);
  await program.parseAsync(argv, { from: "user" });
  return terminal.asked.at(-1)!.body;
}

test("a new target has the kind that the caller names, or else the first kind", async () => {
  expect(await bodyOf("add", "front-door", "--kind", "mailbox", "--pin", "1")).toEqual({
    kind: "mailbox",
    mailbox: "front-door",
    pin: "1",
  });
  expect(await bodyOf("add", "https://x.example", "--timeout", "5s")).toEqual({
    kind: "webhook",
    url: "https://x.example",
    timeoutMs: 5_000,
  });
});

test("a change sends the address in the field of the target's kind", async () => {
  expect(await bodyOf("update", "letters", "back-door", "--timeout", "5s")).toEqual({
    mailbox: "back-door",
    timeoutMs: 5_000,
  });
});

test("the list shows no address for a kind that only a newer service knows", () => {
  const look = { paint: paintFor({ write: () => {} }, {}), now: 0, columns: null };
  const newer = { ...wireTarget({ targetId: "newer" }), kind: "pigeon" };
  expect(targetRows([wireTarget(), newer], look)).toBe(
    "TARGET   STATE   URL\nbilling  active  https://example.com/hooks\nnewer    active  -\n",
  );
});
