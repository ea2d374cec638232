import { hash } from "node:crypto";

const blockLength = 64;
const digestLength = 32;

/**
 * HMAC-SHA-256 (RFC 2104) for many messages under one key. It prepares the two key blocks once and computes
 * two hashes for each message. Node's own creates an object for each message, which costs twice as much and
 * leaves garbage to collect.
 */
export class HmacSha256 {
  readonly #inner = Buffer.alloc(blockLength, 0x36);
  readonly #outer = Buffer.alloc(blockLength + digestLength, 0x5c);

  constructor(key: Uint8Array) {
    const block = key.length > blockLength ? hash("sha256", key, "buffer") : key;
    for (const [index, byte] of block.entries()) {
      this.#inner[index]! ^= byte;
      this.#outer[index]! ^= byte;
    }
  }

  /** Signs an ASCII head followed by the body. Returns base64. */
  sign(head: string, body: Uint8Array): string {
    const bodyAt = blockLength + head.length;
    const message = Buffer.allocUnsafe(bodyAt + body.length);
    message.set(this.#inner);
    message.write(head, blockLength, "latin1");
    message.set(body, bodyAt);
    this.#outer.write(hash("sha256", message, "binary"), blockLength, "latin1");
    return hash("sha256", this.#outer, "base64");
  }
}
