import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase32, encodeBase32 } from "./base32.ts";
import {
  createMessageIdGenerator,
  firstSequenceAt,
  formatMessageId,
  idAtSequence,
  parseMessageId,
  sequenceOf,
  timeOfSequence,
} from "./message-ids.ts";
import { systemRandom } from "./random.ts";

function generatorAt(times: number[], after = 0) {
  let index = 0;
  const clock = { now: () => times[Math.min(index++, times.length - 1)]!, monotonic: () => 0 };
  return createMessageIdGenerator({ clock, random: systemRandom, after });
}

test("base32 decodes what it encodes, sorts like the bytes, and refuses all other text", () => {
  const id = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(id, id, (one, two) => {
      const [first, second] = [encodeBase32(one), encodeBase32(two)];
      expect(decodeBase32(first, 16)).toEqual(one);
      expect(Math.sign(Buffer.compare(one, two))).toBe(
        first < second ? -1 : first > second ? 1 : 0,
      );
    }),
  );
  expect(decodeBase32("8".padEnd(26, "0"), 16)).toBeUndefined();
  expect(decodeBase32("u".padEnd(26, "0"), 16)).toBeUndefined();
  expect(decodeBase32("é".padEnd(26, "0"), 16)).toBeUndefined();
});

test("ids are UUIDv7 with their creation time", () => {
  const now = Date.UTC(2026, 10, 15, 12);
  const { bytes } = generatorAt([now]).next();
  const hex = Buffer.from(bytes).toString("hex");
  expect(parseInt(hex.slice(0, 12), 16)).toBe(now);
  expect(hex[12]).toBe("7");
  expect("89ab").toContain(hex[16]);
});

test("ids ascend within a millisecond, beyond its last counter, and when the clock goes back", () => {
  const now = Date.UTC(2026, 10, 15, 12);
  const generator = generatorAt([...Array<number>(5_000).fill(now), now - 60_000, now + 1]);
  let last = "";
  const sequences = new Set<number>();
  for (let index = 0; index < 5_010; index++) {
    const { sequence, bytes } = generator.next();
    const text = formatMessageId(bytes);
    expect(text > last).toBe(true);
    expect(sequenceOf(bytes)).toBe(sequence);
    expect(parseMessageId(text)).toEqual({ sequence, bytes });
    sequences.add(sequence);
    last = text;
  }
  expect(sequences.size).toBe(5_010);
});

test("a new generator begins above the ids of the one before", () => {
  const now = Date.UTC(2026, 10, 15, 12);
  const { sequence } = generatorAt([now + 60_000]).next();
  expect(generatorAt([now], sequence).next().sequence).toBe(sequence + 1);
});

test("sequences are exact in a double until 2109", () => {
  const { sequence } = generatorAt([Date.UTC(2109, 0, 1)]).next();
  expect(Number.isSafeInteger(sequence)).toBe(true);
});

test("a sequence holds its time, and bounds the ids of a time", () => {
  const now = Date.UTC(2026, 10, 15, 12);
  const generator = generatorAt([now]);
  for (let index = 0; index < 3; index++) {
    const { sequence } = generator.next();
    expect(timeOfSequence(sequence)).toBe(now);
    expect(sequence).toBeGreaterThanOrEqual(firstSequenceAt(now));
    expect(sequence).toBeLessThan(firstSequenceAt(now + 1));
    expect(parseMessageId(idAtSequence(sequence))?.sequence).toBe(sequence);
  }
  expect(firstSequenceAt(-62_135_596_800_000)).toBe(0);
  expect(firstSequenceAt(Date.UTC(9999, 11, 31))).toBe(Number.MAX_SAFE_INTEGER);
});

test("other texts are not ids", () => {
  for (const text of ["", "msg_", "tgt_01", "msg_" + "0".repeat(26), "MSG_" + "0".repeat(26)]) {
    expect(parseMessageId(text)).toBeUndefined();
  }
});
