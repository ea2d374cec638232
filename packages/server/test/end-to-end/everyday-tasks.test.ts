import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Input } from "../../src/cli/surroundings/surroundings.ts";
import { openTerminal, standardInput } from "../../src/cli/testing/command-line.ts";
import { typing } from "../../src/cli/testing/typing.ts";
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
  const { server, receiver, api } = await startService();
  const type = async (stdin: Input, ...argv: readonly string[]) => {
    const terminal = openTerminal({
      env: { POSTDATE_URL: server.url, POSTDATE_KEY: rootKey, TZ: "Europe/Berlin" },
      stdin,
    });
    const code = await terminal.run(...argv, "--json");
    const { text } = terminal.stdout;
    return { code, answer: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown> };
  };
  const run = (...argv: readonly string[]) =>
    type(standardInput("Authorization: Bearer s\n"), ...argv);
  await run("target", "add", receiver.url, "--id", "dev");
  const commands = guideCommands();
  expect(commands.map(([name]) => name)).toEqual([
    ...["send", "send", "get", "reschedule", "cancel"],
    ...["send", "send", "find", "cancel", "shift", "redrive"],
    ...["schedule", "schedule", "send"],
  ]);
  const [late, digest, get, tomorrow, cancel, remind, order, find, ...others] = commands;
  const [cancelOrder, shift, redrive, digests, notMonday, secret] = others;

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

  expect((await type(typing("y\n"), ...cancelOrder!)).answer).toMatchObject({ done: 1 });
  expect((await run(...find!)).answer).toMatchObject({ state: "CANCELLED" });
  const message = { targetId: "dev", delayMs: 3_600_000, payload: "x" };
  const messages = Array.from({ length: 1_000 }, () => message);
  expect((await api("POST", "/v1/messages/batch", { body: { messages } })).status).toBe(200);
  // The reminder moves along. What must not be delivered after 18:00 cannot.
  expect((await type(typing("y\n"), ...shift!)).answer).toMatchObject({
    state: "DONE",
    matched: 1_002,
    done: 1_001,
    skipped: { changed: 1, inFlight: 0 },
  });
  receiver.answerWith((_, response) => response.writeHead(500).end());
  const dead = await run("send", "dev", "again", "--max-attempts", "1", "--wait");
  expect(dead.answer).toMatchObject({ state: "DEAD_LETTER" });
  receiver.answerWith((_, response) => response.writeHead(204).end());
  expect((await type(typing("y\n"), ...redrive!)).answer).toMatchObject({
    state: "DONE",
    done: 1,
    failedAgain: 0,
  });
  expect((await run("get", String(dead.answer["messageId"]))).answer).toMatchObject({
    state: "DELIVERED",
  });
  expect((await run(...digests!)).answer).toMatchObject({ timeZone: "Europe/Berlin", skips: [] });
  const { skips } = (await run(...notMonday!)).answer;
  expect(skips).toEqual([expect.stringMatching(/T0[78]:00:00\.000Z$/)]);
  expect((await run(...secret!)).answer).toMatchObject({ headers: { Authorization: "set" } });
});
