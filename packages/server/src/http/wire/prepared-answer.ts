import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { chooseEncoding, type Encoding } from "./accept-encoding.ts";

/** An answer whose bytes never change, kept in each encoding that a caller has asked for. */
export interface PreparedAnswer {
  /** The hash of the uncompressed bytes. */
  readonly hash: string;
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** Compresses better than gzip in about the same time. Higher levels cost far more and save little. */
const brotliQuality = 5;

/**
 * Compresses once for each encoding that is not `compressed` yet, on a thread of the pool. Requests that come
 * meanwhile wait for the same result. All answers share one buffer, also those to slow readers.
 */
export function prepareAnswer(
  content: string | Uint8Array,
  compressed: Partial<Readonly<Record<Encoding, Buffer>>> = {},
): PreparedAnswer {
  const plain = Buffer.from(content as Uint8Array);
  const hash = createHash("sha256").update(plain).digest("base64url").slice(0, 20);
  const made = new Map<Encoding, Promise<Buffer>>(
    Object.entries(compressed).map(([encoding, bytes]) => [
      encoding as Encoding,
      Promise.resolve(bytes),
    ]),
  );
  const bytesIn = (encoding: Encoding): Promise<Buffer> => {
    const known = made.get(encoding);
    if (known !== undefined) return known;
    const bytes = compress(plain, encoding);
    made.set(encoding, bytes);
    return bytes;
  };
  return {
    hash,
    async send({ headers }, reply) {
      const encoding = chooseEncoding(headers["accept-encoding"]?.toString());
      const tag = `"${hash}${encoding === "identity" ? "" : `-${encoding}`}"`;
      void reply.headers({ etag: tag, vary: "accept-encoding" });
      if (isKnown(headers["if-none-match"], tag)) return reply.code(304).send();
      if (encoding !== "identity") void reply.header("content-encoding", encoding);
      return reply.send(await bytesIn(encoding));
    },
  };
}

async function compress(plain: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === "identity") return plain;
  if (encoding === "gzip") return promisify(gzip)(plain);
  return promisify(brotliCompress)(plain, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    },
  });
}

/** Whether the caller already has these bytes. */
function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((one) => one.trim().replace(/^W\//, ""));
  return tags.some((known) => known === "*" || known === tag);
}
