import { execFileSync } from "node:child_process";
import type { Message } from "@postdate/client";
import { expect, test } from "vitest";
import { messageRecipes } from "./message-recipes.ts";

const message: Message = {
  messageId: "m",
  targetId: "mail",
  schedulingTime: "2026-11-18T09:00:00.000Z",
  originalDeliveryTime: "2026-11-18T10:00:00.000Z",
  state: "SCHEDULED",
  deliveryFailureCount: 0,
  nextDeliveryTime: "2026-11-18T10:00:00.000Z",
  lastDeliveryTime: null,
  deadLetterTime: null,
  cancellationTime: null,
  expirationTime: null,
  key: "it's $HOME",
  labels: { order: "47;11" },
};
const payload = `-x 'a' "b" \`c\` $(d) \\ \n<e>`;
const [curl, command, code] = messageRecipes(message, payload, "https://p.example/x");

/** What a program gets from a shell, word by word. */
function words(line: string): string[] {
  const program = `${line.split(/[ ]/, 1)[0]}() { printf '%s\\0' "$@"; }; POSTDATE_KEY=pd_1; ${line}`;
  return execFileSync("sh", ["-c", program], { encoding: "utf8" }).split("\0").slice(0, -1);
}

test("a shell hands curl the message as it is, with the key of the variable", () => {
  const given = words(curl!.text);
  expect(given).toContain("Authorization: Bearer pd_1");
  expect(given).toContain("https://p.example/x/v1/messages");
  expect(JSON.parse(given.at(-1)!)).toEqual({
    targetId: "mail",
    deliveryTime: message.originalDeliveryTime,
    payload,
    key: message.key,
    labels: message.labels,
  });
});

test("so does it for the command line", () => {
  expect(words(command!.text)).toEqual([
    "postdate",
    "send",
    "--at",
    message.originalDeliveryTime,
    "--message-key",
    message.key,
    "--label",
    "order=47;11",
    "--",
    "mail",
    payload,
  ]);
});

test("the code has the payload as one literal", () => {
  expect(code!.text).toContain(`"payload": ${JSON.stringify(payload)}`);
  expect(code!.text).not.toMatch(/pd_/);
});

/** What a program behind a pipe gets from its standard input, and its words. */
function piped(line: string): { readonly input: string; readonly words: string[] } {
  const program = `npx() { cat; printf '\\0'; printf '%s\\0' "$@"; }; ${line}`;
  const [input, ...given] = execFileSync("sh", ["-c", program], { encoding: "utf8" }).split("\0");
  return { input: input!, words: given.slice(0, -1) };
}

test.each([
  "\u0003\ntouch /tmp/owned\n",
  "\u007f".repeat(200) + "; touch /tmp/owned #",
  "a\tb\rc\u001b[201~d\u009b31m é 50% \\033 'q' \n\n",
  "-",
  "-n\u0007",
])("a payload presses no key of the terminal that a recipe is pasted into: %j", (pressing) => {
  const recipes = messageRecipes(message, pressing, "https://p.example");
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  for (const { text } of recipes) expect(text).not.toMatch(/(?!\n)[\u0000-\u001f\u007f-\u009f]/u);
  const { input, words: given } = piped(recipes[1]!.text);
  expect(input).toBe(pressing);
  expect(given.slice(-3)).toEqual(["--", "mail", "-"]);
  expect(JSON.parse(words(recipes[0]!.text).at(-1)!)).toMatchObject({ payload: pressing });
});

test("what the message has set is set again", () => {
  const set = {
    ...{ contentType: "a/b", timeoutMs: 2_500, flexWindowMs: 60_000, notAfterMs: 1_000 },
    retryPolicy: {
      maxAttempts: 3,
      backoff: { kind: "list", delaysMs: [1_000, 5], jitter: 0 },
      finalStatuses: [404, 422],
      maxRetryAfterMs: 60_000,
    },
  } as const;
  const notAfter = "2026-11-18T10:00:01.000Z";
  const all: Message = {
    ...message,
    ...set,
    retryPolicy: {
      ...set.retryPolicy,
      finalStatuses: [404, 422],
      backoff: { ...set.retryPolicy.backoff, delaysMs: [1_000, 5] },
    },
    notAfter,
  };
  const [asCurl, asCommand, asCode] = messageRecipes(all, "x", "https://p.example");
  const body = JSON.parse(words(asCurl!.text).at(-1)!);
  expect(body).toMatchObject(set);
  expect(body).not.toHaveProperty("notAfter");
  expect(asCode!.text).toContain('"maxAttempts": 3');
  const line = words(asCommand!.text).join(" ");
  expect(line).toContain("--max-attempts 3 --backoff 1000ms,5ms --jitter 0 --final-status 404,422");
  expect(line).toContain(
    "--max-retry-after 60000ms --timeout 2500ms --flex 60000ms --not-after 1000ms",
  );
  const growing = { kind: "exponential", initialMs: 5, factor: 2, maxMs: 50, jitter: 1 } as const;
  const other = {
    ...all,
    retryPolicy: { ...all.retryPolicy!, backoff: growing, finalStatuses: [] },
  };
  expect(words(messageRecipes(other, "x", "https://p.example")[1]!.text).join(" ")).toContain(
    "--backoff exponential --backoff-start 5ms --backoff-factor 2 --backoff-longest 50ms --jitter 1 --final-status none",
  );
});
