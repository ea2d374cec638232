import { beforeAll, describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import type { Receipt } from "../support/receiver.ts";
import { expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";

const service = commonService();
let target: ScriptedTarget;
beforeAll(async () => {
  target = await service.target();
});

const limit = 61_440;
const everyAscii = String.fromCodePoint(...Array.from({ length: 128 }, (_, code) => code));

const payloads: readonly [what: string, payload: string][] = [
  ["nothing", ""],
  ["one character", "x"],
  ["every ASCII character, NUL included", everyAscii],
  ["NUL alone", "\0"],
  ["NULs around text", "\0a\0\0b\0"],
  ["line separators", "a\u2028b\u2029c\u0085d"],
  ["a byte order mark at the beginning", "\uFEFFtext"],
  ["characters beyond the first plane", "😀𝒳\u{10FFFF}\u{10000}"],
  ["noncharacters and private use", "\uFFFE\uFFFF\uE000\uD7FF"],
  ["combining sequences, not normalised", "e\u0301é\u1E9B\u0323"],
  ["JSON", '{"a": [1, 2.50, "\\u0041"], "b": null}'],
  ["the longest ASCII", "a".repeat(limit)],
  ["the longest text of three-byte characters", "€".repeat(limit)],
  ["the longest text of emoji", "😀".repeat(limit)],
  ["the longest text of NULs", "\0".repeat(limit)],
  ["the longest text of quotes", '"'.repeat(limit)],
];

/** Every character as \uXXXX, the longest way to write a text in JSON. */
function escaped(text: string): string {
  return `"${[...Array(text.length).keys()]
    .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("")}"`;
}

async function arrivalOf(messageId: string): Promise<Receipt> {
  const [receipt] = await service.receiver.received(1, (each) => each.messageId === messageId);
  return receipt!;
}

function withPayload(targetId: string, payloadJson: string, deliveryTime = farAway): string {
  return `{"targetId":"${targetId}","deliveryTime":"${deliveryTime}","payload":${payloadJson}}`;
}

describe("a payload is stored and delivered byte for byte", () => {
  test.each(payloads)("%s", async (_, payload) => {
    const { messageId } = await target.schedule({ payload });
    const receipt = await arrivalOf(messageId);
    expect(receipt.body.equals(Buffer.from(payload, "utf8"))).toBe(true);
    expect(receipt.headers["content-length"]).toBe(String(Buffer.byteLength(payload)));
    const read = await service.ok("GET", `/v1/messages/${messageId}/payload`);
    expect(read.payload === payload).toBe(true);
  });

  test.each(payloads)("%s, escaped in the request", async (_, payload) => {
    const body = withPayload(target.targetId, escaped(payload), "2020-01-01T00:00:00Z");
    const { messageId } = await service.ok("POST", "/v1/messages", { body });
    const receipt = await arrivalOf(messageId);
    expect(receipt.body.equals(Buffer.from(payload, "utf8"))).toBe(true);
  });
});

describe("a payload of more than 61,440 code points is E-DI-5002", () => {
  test.each([
    ["ASCII", "a".repeat(limit + 1)],
    ["emoji", "😀".repeat(limit + 1)],
    ["emoji and one letter", `${"😀".repeat(limit)}a`],
    ["twice as long", "a".repeat(2 * limit)],
    ["a lone surrogate beyond the limit", `${"a".repeat(limit)}\ud83d`],
  ])("%s", async (_, payload) => {
    const answer = await service.api("POST", "/v1/messages", {
      body: withPayload(target.targetId, JSON.stringify(payload)),
    });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toContainEqual(
      expect.objectContaining({ code: "E-DI-5002", field: "payload" }),
    );
    const list = await service.ok("GET", `/v1/targets/${target.targetId}/scheduled-messages`);
    expect(list.count).toBe(0);
  });

  test("also when it is escaped", async () => {
    const body = withPayload(target.targetId, escaped("😀".repeat(limit + 1)));
    const answer = await service.api("POST", "/v1/messages", { body });
    expectRefusal(answer, 400, { code: "E-DI-5002", field: "payload" });
  });
});

describe("text that cannot be encoded is refused", () => {
  test.each([
    ["a high surrogate alone", String.raw`"\ud83d"`],
    ["a low surrogate alone", String.raw`"\ude00"`],
    ["a pair in the wrong order", String.raw`"\ude00\ud83d"`],
    ["a high one before a letter", String.raw`"a\ud83db"`],
    ["one at the end of a long text", `"${"a".repeat(limit - 1)}\\ud800"`],
    ["one among emoji", String.raw`"😀\ud83d😀"`],
  ])("%s", async (_, payloadJson) => {
    const body = withPayload(target.targetId, payloadJson);
    expectRefusal(await service.api("POST", "/v1/messages", { body }), 400, {
      code: "E-DI-1001",
      field: "payload",
    });
  });

  test.each([
    ["a stray byte", [0xff]],
    ["a continuation byte alone", [0x80]],
    ["an overlong NUL", [0xc0, 0x80]],
    ["an encoded surrogate", [0xed, 0xa0, 0xbd]],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["a cut-off sequence", [0xf0, 0x9f, 0x98]],
  ])("bytes that are not UTF-8: %s", async (_, bytes) => {
    const [before, after] = withPayload(target.targetId, '"|"').split("|");
    const body = Buffer.concat([Buffer.from(before!), Buffer.from(bytes), Buffer.from(after!)]);
    expectRefusal(await service.api("POST", "/v1/messages", { body }), 400, { code: "E-DI-1001" });
    const list = await service.ok("GET", `/v1/targets/${target.targetId}/scheduled-messages`);
    expect(list.count).toBe(0);
  });
});
