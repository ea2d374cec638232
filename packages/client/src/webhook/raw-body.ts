import { VerificationError } from "./verification-error.ts";

/** A body as it was sent: in memory, or still arriving. Null is an empty one. */
export type RawBody = string | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | null;

export interface WithBody {
  readonly body: RawBody;
  /** Whether somebody has read the body, as a Web `Request` has it. */
  readonly bodyUsed?: boolean;
}

/** The bytes of a body, up to a bound. Refuses what a parser has made of one. */
export async function readBody({ body, bodyUsed }: WithBody, maxBytes: number): Promise<Blob> {
  if (bodyUsed || !isRaw(body)) {
    throw new VerificationError(
      "parsed-body",
      "The raw body is gone. Put expressReceiver before express.json(), " +
        "register fastifyReceiver, or use receive in route.ts.",
    );
  }
  const reader = new Response((body ?? "") as string).body!.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new VerificationError("unreadable-body", "The body is incomplete.", cause);
    });
    if (done) return new Blob(pieces);
    pieces.push(value);
    length += value.length;
    // In this form a bound that is no number refuses everything.
    if (length <= maxBytes) continue;
    // The answer ends the sender's connection, so nobody waits for this.
    reader.cancel().catch(() => {});
    throw new VerificationError("too-large", `The body has more than ${maxBytes} bytes.`);
  }
}

function isRaw(body: unknown): boolean {
  if (body instanceof ReadableStream) return !body.locked;
  return (
    body === null ||
    typeof body === "string" ||
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body)
  );
}
