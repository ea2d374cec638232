import type { IncomingMessage } from "node:http";
import { errorCodes } from "fastify";
import type { FastifyRequest } from "fastify";
import { askForBody } from "./expect-continue.ts";
import { PieceCount } from "./piece-count.ts";
import { smallBodyBytes } from "../admission/places.ts";
import type { Places } from "../admission/places.ts";
import { TurnedAway } from "../admission/turned-away.ts";

export type ReadBody = (
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, bytes: Buffer) => void,
) => void;

export interface ReadBodyOptions {
  readonly places: Places;
  /** The smallest body limit of all routes. */
  readonly leastBodyLimit: number;
  readonly onTurnedAway: () => void;
}

const nothing = Buffer.alloc(0);

/** What each piece costs in addition to its bytes. A client may send its body one byte at a time. */
const pieceBytes = 256;

/**
 * Reads a whole body, up to the limit of its route. Bytes count when they arrive, so a body that is announced
 * and not sent takes no room. If there is no more room, the request is turned away in the middle of its
 * body, and the rest is dropped as it comes.
 */
export function createBodyReader(options: ReadBodyOptions): ReadBody {
  const { places, leastBodyLimit, onTurnedAway } = options;

  return (request, payload, done) => {
    // The body of a destroyed request never ends. Waiting for its end would take for ever.
    if (payload.destroyed) return done(new HungUp(), nothing);
    if (!isPlain(request.headers["content-encoding"])) return done(new EncodedBody(), nothing);
    const length = request.headers["content-length"];
    const announced = length === undefined ? 0 : Number(length);
    // Fastify builds `routeOptions` on every access, so the common case avoids it.
    const limit =
      length !== undefined && announced <= leastBodyLimit
        ? leastBodyLimit
        : request.routeOptions.bodyLimit;
    if (announced > limit) return done(new BodyTooLarge(limit), nothing);
    const isLarge = (length === undefined ? limit : announced) > smallBodyBytes;
    const turnAway = (): void => {
      places.dropBody(request);
      onTurnedAway();
      done(new TurnedAway(), nothing);
    };
    if (announced > 0 && !places.bodyFits(request, announced, isLarge)) return turnAway();

    const pieces: Buffer[] = [];
    const count = new PieceCount();
    const stop = (): void => {
      payload.off("data", onData).off("end", onEnd).off("error", onError);
      pieces.length = 0;
    };
    const onData = (piece: Buffer): void => {
      count.add(piece);
      if (count.bytes > limit) {
        stop();
        return done(new BodyTooLarge(limit), nothing);
      }
      if (count.areTiny) {
        stop();
        return done(new BodyInTinyPieces(), nothing);
      }
      if (!places.hold(request, piece.length + pieceBytes, isLarge)) {
        stop();
        return turnAway();
      }
      pieces.push(piece);
    };
    const onEnd = (): void => {
      const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, count.bytes);
      stop();
      if (length !== undefined && count.bytes !== announced) {
        return done(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH(), nothing);
      }
      done(null, bytes);
    };
    const onError = (): void => {
      stop();
      done(new HungUp(), nothing);
    };
    askForBody(request.raw);
    payload.on("data", onData).on("end", onEnd).on("error", onError);
  };
}

function isPlain(encoding: string | undefined): boolean {
  return encoding === undefined || encoding.toLowerCase() === "identity";
}

/** A few compressed bytes may be gigabytes, so none are taken. The error handlers say so. */
export class EncodedBody extends Error {
  constructor() {
    super("The body must not be compressed: send it without Content-Encoding.");
  }
}

/** The error handler answers with this message. */
export class BodyInTinyPieces extends Error {
  readonly statusCode = 400;

  constructor() {
    super(
      "The body came in more than 1,000 pieces of less than 64 bytes each. Send it in larger ones.",
    );
  }
}

/** The error handlers answer with this message. */
export class BodyTooLarge extends Error {
  constructor(limit: number) {
    super(
      `The body is larger than the ${limit.toLocaleString("en")} bytes that are accepted here.`,
    );
  }
}

export class HungUp extends Error {
  readonly statusCode = 400;

  constructor() {
    super("the client has hung up");
  }
}
