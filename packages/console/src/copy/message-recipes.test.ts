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
