import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { OAuthRefused } from "../../domain/oauth.ts";
import type { ReadBody } from "./read-body.ts";

/** Values by name. The object has no prototype, so `__proto__` is an unknown parameter like any other. */
export type FormBody = Readonly<Record<string, string>>;

/** In bytes. */
export const longestForm = 8_192;

/** Makes the routes of this scope, and no others, take forms as OAuth does. They take nothing else. */
export function acceptFormBodies(scope: FastifyInstance, readBody: ReadBody): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/x-www-form-urlencoded",
    (request: FastifyRequest, payload, done) =>
      readBody(request, payload, (fault, bytes) => {
        if (fault !== null) return done(fault);
        try {
          return done(null, readForm(bytes));
        } catch (error) {
          return done(error as Error);
        }
      }),
  );
}

/** No parameter may come twice, and one without a value counts as missing (RFC 6749, section 3.2). */
export function readForm(bytes: Buffer): FormBody {
  if (!isUtf8(bytes)) throw unreadable("The body is not valid UTF-8.");
  const form: Record<string, string> = Object.create(null);
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(bytes.toString("utf8"))) {
    if (seen.has(name)) throw unreadable("A parameter was given more than once.");
    seen.add(name);
    if (value !== "") form[name] = value;
  }
  return form;
}

function unreadable(description: string): OAuthRefused {
  return new OAuthRefused("invalid_request", description);
}
