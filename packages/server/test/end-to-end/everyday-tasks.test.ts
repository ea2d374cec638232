import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal, standardInput } from "../../src/cli/testing/command-line.ts";
import { rootKey } from "../support/server-process.ts";
import { services } from "../support/service.ts";

const startService = services();
const page = join(import.meta.dirname, "../../../../docs/guides/everyday-tasks.md");

/** The commands of the guide, by their place, as a shell reads their words. */
function guideCommands(): readonly (readonly string[])[] {
  const blocks = readFileSync(page, "utf8").matchAll(/```sh\n(?:.* \| )?npx postdate (.*)\n```/g);
  return [...blocks].map(([, line = ""]) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""),
  );
}

test("each command of the guide does on a real server what the guide says", async () => {
  const { server, receiver } = await startService();
  const run = async (...argv: readonly string[]) => {
    const terminal = openTerminal({
      env: { POSTDATE_URL: server.url, POSTDATE_KEY: rootKey, TZ: "Europe/Berlin" },
      stdin: standardInput("Authorization: Bearer s\n"),
    });
    const code = await terminal.run(...argv, "--json");
    const { text } = terminal.stdout;
    return { code, answer: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown> };
  };
  await run("target", "add", receiver.url, "--id", "dev");
  const commands = guideCommands();
  expect(commands.map(([name]) => name)).toEqual([
    ...["send", "send", "get", "reschedule", "cancel"],
    ...["send", "send", "find", "send"],
  ]);
  const [late, digest, get, tomorrow, cancel, remind, order, find, secret] = commands;

  expect((await run(...late!)).answer).toMatchObject({ notAfter: expect.any(String) });
  const first = await run(...digest!);
  expect(first.answer).toMatchObject({ keyOutcome: "created", key: "digest-of-4711" });
  const { messageId } = first.answer;
  expect((await run(...digest!)).answer).toMatchObject({ keyOutcome: "debounced", messageId });
  expect((await run(...get!)).answer).toMatchObject({ messageId, state: "SCHEDULED" });
  expect((await run(...tomorrow!)).answer).toMatchObject({ messageId });
  expect((await run(...cancel!)).answer).toMatchObject({ messageId, state: "CANCELLED" });
  expect((await run(...cancel!)).code).toBe(4);
  expect((await run(...remind!)).answer).toMatchObject({ keyOutcome: "created" });
  expect((await run(...remind!)).answer).toMatchObject({ keyOutcome: "kept" });
  const ofOrder = (await run(...order!)).answer["messageId"];
  expect((await run(...find!)).answer).toMatchObject({ messageId: ofOrder });
  expect((await run(...secret!)).answer).toMatchObject({ headers: { Authorization: "set" } });
});
