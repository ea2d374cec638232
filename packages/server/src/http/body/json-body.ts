import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { findLoneSurrogates, inspectJson } from "./inspect-json.ts";
import { largeBodyBytes, largeListBytes } from "./large-bodies.ts";
import type { LargeBodies } from "./large-bodies.ts";
import { HungUp } from "./read-body.ts";
import type { ReadBody } from "./read-body.ts";
import { findRepeatedName } from "./repeated-names.ts";
import { scanJson } from "./scan-json.ts";
import type { Excess, JsonLimits, JsonScan } from "./scan-json.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** JSON pointers to the strings of the body that UTF-8 cannot encode. */
    loneSurrogates: readonly string[] | null;
  }
  interface FastifyContextConfig {
    /** For an operation whose body may have more values than the default. */
    readonly mostValues?: number;
  }
}

/** Far more than any operation except a batch needs, and few enough to report each problem. */
const defaultJsonLimits: JsonLimits = {
  mostValues: 1_000,
  mostNames: 1_000,
  deepest: 20,
  longestName: 1_024,
};

/** Makes all routes take JSON objects in UTF-8. Nothing else is parsed. */
export function acceptJsonBodies(
  app: FastifyInstance,
  readBody: ReadBody,
  largeBodies: LargeBodies,
): void {
  // The parser keeps `__proto__` as an ordinary field. The schema then refuses it by name, like any unknown field.
  const parseJson = app.getDefaultJsonParser("ignore", "ignore");
  const parse = (request: FastifyRequest, bytes: Buffer, done: BodyDone): void => {
    if (bytes.length === 0) return done(null, undefined);
    const limits = limitsFor(request, bytes);
    const scan = scanJson(bytes, limits);
    if ("excess" in scan) return done(refused(tooMuch[scan.excess](limits)));
    if (!isUtf8(bytes)) return done(refused("The body is not valid UTF-8."));
    const text = bytes.toString("utf8");
    return void parseJson(request, text, (error, value: unknown) => {
      if (error !== null) return done(error);
      const fault = faultOf(request, bytes, value, scan);
      return fault === undefined ? done(null, value) : done(fault);
    });
  };
  // Fastify validates and handles the body inside `done`, so that work is part of the turn too.
  const parseInTurn = (request: FastifyRequest, bytes: Buffer, done: BodyDone): void =>
    largeBodies.inTurn(request.holder?.name ?? "", () => {
      if (request.raw.socket.destroyed) done(new HungUp());
      else parse(request, bytes, done);
    });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (request: FastifyRequest, payload, done) => {
    if (!hasUtf8Charset(request)) {
      return done(new NotInUtf8());
    }
    return readBody(request, payload, (error, bytes) => {
      if (error !== null) done(error);
      else if (isLarge(request, bytes)) parseInTurn(request, bytes, done);
      else parse(request, bytes, done);
    });
  });
}

/** The error handler says what to do. */
export class NotInUtf8 extends Error {
  constructor() {
    super("The body must be JSON in UTF-8.");
  }
}

/** Fastify builds `routeOptions` on every access, so the common case avoids it. */
function isLarge(request: FastifyRequest, { length }: Buffer): boolean {
  if (length < largeListBytes) return false;
  return length > largeBodyBytes || request.routeOptions.config.mostValues !== undefined;
}

type BodyDone = (error: Error | null, value?: unknown) => void;

/** Each value takes at least two bytes. A body too short to exceed the default limit needs no look at its route. */
function limitsFor(request: FastifyRequest, { length }: Buffer): JsonLimits {
  if (length < 2 * defaultJsonLimits.mostValues) return defaultJsonLimits;
  const { mostValues } = request.routeOptions.config;
  return mostValues === undefined ? defaultJsonLimits : { ...defaultJsonLimits, mostValues };
}

const tooMuch: Readonly<Record<Excess, (limits: JsonLimits) => string>> = {
  values: ({ mostValues }) =>
    `The body has too much in it: this operation takes at most ${counted(mostValues)} fields and entries, all levels together.`,
  names: ({ mostNames }) =>
    `The body has too much in it: an object may have at most ${counted(mostNames)} fields.`,
  depth: ({ deepest }) => `The body is too deep: it may have at most ${deepest} levels.`,
  name: ({ longestName }) =>
    `A field has too long a name: it may have at most ${counted(longestName)} bytes.`,
};

function counted(number: number): string {
  return number.toLocaleString("en");
}

/** Why the body is refused as a whole. Lone surrogates are noted on the request instead. */
function faultOf(
  request: FastifyRequest,
  bytes: Buffer,
  value: unknown,
  { names }: Extract<JsonScan, { readonly names: number }>,
): RequestRefused | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refused("The body must be a JSON object.");
  }
  switch (inspectJson(value, names)) {
    case "repeated-names": {
      const field = findRepeatedName(bytes);
      return refused("A field is given more than once. Give each field once.", field);
    }
    case "lone-surrogates":
      request.loneSurrogates = findLoneSurrogates(value);
      return undefined;
    default:
      return undefined;
  }
}

function hasUtf8Charset(request: FastifyRequest): boolean {
  const type = request.headers["content-type"];
  if (type === undefined || type === "application/json") return true;
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1]?.toLowerCase();
  return charset === undefined || charset === "utf-8" || charset === "utf8";
}

function refused(message: string, field?: string): RequestRefused {
  return new RequestRefused({
    code: codes.invalidRequest,
    message,
    ...(field === undefined ? {} : { field }),
  });
}
