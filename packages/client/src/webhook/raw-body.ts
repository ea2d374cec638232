import { VerificationError } from "./verification-error.ts";

/** Reads the raw bytes of a body, but not more than `maxBytes`. */
export type ReadBody = (maxBytes: number) => Promise<Uint8Array<ArrayBuffer>>;

export function tooLarge(maxBytes: number): VerificationError {
  return new VerificationError(
    "too-large",
    `The body has more than ${maxBytes} bytes. Raise maxBodyBytes if your payloads are that long.`,
  );
}

export function unreadable(cause: unknown): VerificationError {
  return new VerificationError("unreadable-body", "The body did not arrive in full.", { cause });
}

export function parsedBody(found: string): VerificationError {
  return new VerificationError(
    "parsed-body",
    `A signature covers the raw bytes of the body, but ${found}. Express: add expressReceiver before ` +
      `express.json(), or keep the bytes with express.raw({ type: "*/*" }). Fastify: register fastifyReceiver ` +
      `as a plugin. Next.js: use receive in app/…/route.ts; in pages/api switch bodyParser off. Elsewhere: ` +
      `verify the request before anything else reads it.`,
  );
}

/** The bytes of a body that its caller holds. Refuses what a parser has made of one. */
export function heldBytes(body: unknown, maxBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(body);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
  }
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw parsedBody(
    body == null ? "there is no body here" : `this body is a parsed ${typeof body} already`,
  );
}

/** The bytes of a Web request, which nobody may have read before. */
export async function requestBytes(
  { body, bodyUsed }: Pick<Request, "body" | "bodyUsed">,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (bodyUsed || body?.locked) throw parsedBody("something has read this request's body already");
  const pieces = new Pieces(maxBytes);
  // A request without a body is one with an empty body.
  if (body === null) return pieces.joined();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw unreadable(error);
    });
    if (done) return pieces.joined();
    if (pieces.add(value as Uint8Array)) continue;
    // The sender's connection ends with the answer, so nobody waits for this.
    reader.cancel().catch(() => {});
    throw tooLarge(maxBytes);
  }
}

/** Gathers a body as it arrives, up to a bound. */
export class Pieces {
  readonly #pieces: Uint8Array[] = [];
  readonly #maxBytes: number;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False if the body has become too large. */
  add(piece: Uint8Array): boolean {
    this.#length += piece.length;
    this.#pieces.push(piece);
    return this.#length <= this.#maxBytes;
  }

  joined(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    let offset = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, offset);
      offset += piece.length;
    }
    return bytes;
  }
}
