import { decodeBase32, encodeBase32 } from "./base32.ts";
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

/**
 * A message's id is a UUIDv7 (RFC 9562, method 1): 48 bits of time, a counter in the next 11, the rest
 * random. Time and counter together are the *sequence*. A generator never repeats a sequence. Sequences
 * fit into a double exactly until the year 2109, and sort like the ids. So a store can key its rows by
 * the sequence, append-only, and needs no index over the ids. The random tail keeps ids unguessable.
 */
export interface MessageIdGenerator {
  next(): MessageIdParts;
}

export interface MessageIdParts {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

const prefix = "msg_";
const countersPerMs = 2 ** 11;
const tailLength = 9;

export interface GeneratorOptions {
  /** The clock of the store, so that the ids of several nodes sort by time. */
  readonly clock: Pick<Clock, "now">;
  readonly random: Random;
  /** The highest sequence used so far. New ones are above it, even if the clock went back. */
  readonly after: number;
}

export function createMessageIdGenerator({
  clock,
  random,
  after,
}: GeneratorOptions): MessageIdGenerator {
  const pool = 512;
  let last = after;
  let tails = random.bytes(0);
  let used = 0;
  return {
    next() {
      last = Math.max(last + 1, clock.now() * countersPerMs);
      if (used + tailLength > tails.length) {
        tails = random.bytes(tailLength * pool);
        used = 0;
      }
      const tail = tails.subarray(used, (used += tailLength));
      return { sequence: last, bytes: layOut(last, tail) };
    },
  };
}

function layOut(sequence: number, tail: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(16);
  const ms = Math.floor(sequence / countersPerMs);
  const counter = sequence % countersPerMs;
  const high = Math.floor(ms / 2 ** 16);
  bytes[0] = (high >>> 24) & 255;
  bytes[1] = (high >>> 16) & 255;
  bytes[2] = (high >>> 8) & 255;
  bytes[3] = high & 255;
  bytes[4] = (ms >>> 8) & 255;
  bytes[5] = ms & 255;
  // rand_a: the counter is in the upper eleven bits, one random bit is below it.
  bytes[6] = 0x70 | (counter >>> 7);
  bytes[7] = ((counter << 1) & 255) | (tail[0]! & 1);
  bytes.set(tail.subarray(1), 8);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes;
}

export function sequenceOf(bytes: Uint8Array): number {
  const high = bytes[0]! * 2 ** 24 + (bytes[1]! << 16) + (bytes[2]! << 8) + bytes[3]!;
  const ms = high * 2 ** 16 + (bytes[4]! << 8) + bytes[5]!;
  return ms * countersPerMs + ((bytes[6]! & 15) << 7) + (bytes[7]! >>> 1);
}

/** The time that a sequence holds. */
export function timeOfSequence(sequence: number): number {
  return Math.floor(sequence / countersPerMs);
}

/** The lowest sequence with this time, or the closest to it that a double holds exactly. */
export function firstSequenceAt(ms: number): number {
  return Math.min(Math.max(ms, 0) * countersPerMs, Number.MAX_SAFE_INTEGER);
}

/** An id with this sequence, for comparing with others. It belongs to no message. */
export function idAtSequence(sequence: number): string {
  return formatMessageId(layOut(sequence, new Uint8Array(tailLength)));
}

export function formatMessageId(bytes: Uint8Array): string {
  return prefix + encodeBase32(bytes);
}

/** The parts of an id, or undefined for text that no generator of ours made. */
export function parseMessageId(text: string): MessageIdParts | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const bytes = decodeBase32(text.slice(prefix.length), 16);
  if (bytes === undefined || bytes[6]! >> 4 !== 7 || bytes[8]! >> 6 !== 2) return undefined;
  return { sequence: sequenceOf(bytes), bytes };
}
