import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { RequestRefused } from "../domain/refusals.ts";
import { RequestMisfit } from "./error-answers.ts";
import { findLoneSurrogates, inspectJson } from "./inspect-json.ts";
import { countNames, findRepeatedName } from "./repeated-names.ts";

/** Bodies are JSON in UTF-8, objects all of them; nothing else is parsed at all. */
export function acceptJsonBodies(app: FastifyInstance): void {
  // Parsed, `__proto__` is a field like any other, and refused by name as every unknown one is.
  const parseJson = app.getDefaultJsonParser("ignore", "ignore");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    if (!hasUtf8Charset(request)) {
      return done(new RequestMisfit("media-type", "The body must be JSON in UTF-8."));
    }
    const bytes = body as Buffer;
    if (bytes.length === 0) return done(null, undefined);
    if (!isUtf8(bytes)) return done(refused("The body is not valid UTF-8."));
    const text = bytes.toString("utf8");
    void parseJson(request, text, (error, value: unknown) => {
      if (error !== null) return done(error);
      const fault = faultOf(request, text, value);
      return fault === undefined ? done(null, value) : done(fault);
    });
  });
}

/** For operations that can do without a body: none is as good as an empty one. */
export function bodyMayBeMissing(
  request: FastifyRequest,
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  if (request.body === undefined) request.body = {};
  done();
}

/** What keeps the body from being looked at any further; lone surrogates are noted on the request. */
function faultOf(
  request: FastifyRequest,
  text: string,
  value: unknown,
): RequestRefused | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refused("The body must be a JSON object.");
  }
  switch (inspectJson(value, countNames(text))) {
    case "too-big":
      return refused(
        "The body has more fields and entries, or deeper ones, than any operation takes.",
      );
    case "repeated-names": {
      const field = findRepeatedName(text);
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
    code: "E-DI-1001",
    message,
    ...(field === undefined ? {} : { field }),
  });
}
