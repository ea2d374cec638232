import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { allows } from "../domain/access.ts";
import type { Caller, Permission, Scope } from "../domain/access.ts";
import { RequestRefused } from "../domain/refusals.ts";
import type { Authenticated, Authenticator } from "./authenticate.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the guard of every route under /v1, before anything else is looked at. */
    caller: Caller;
  }
}

/** The least scope that gives a permission, to be named when it is missing. */
const leastScope: Readonly<Record<Permission, Scope>> = {
  readMessages: "scheduler.messages.read",
  writeMessages: "scheduler.messages.readwrite",
  readAll: "scheduler.all.read",
  writeAll: "scheduler.all.readwrite",
};

export type Guards = Readonly<Record<Permission, onRequestHookHandler>>;

/** One `onRequest` hook for each permission; it refuses before the body is read. */
export function createGuards(authenticator: Authenticator): Guards {
  return {
    readMessages: guardFor("readMessages", authenticator),
    writeMessages: guardFor("writeMessages", authenticator),
    readAll: guardFor("readAll", authenticator),
    writeAll: guardFor("writeAll", authenticator),
  };
}

function guardFor(permission: Permission, authenticator: Authenticator): onRequestHookHandler {
  return (request, reply, done) => {
    const answer = authenticator.authenticate(request.headers.authorization);
    const settle = (found: Authenticated): void => done(admit(permission, found, request, reply));
    if (answer instanceof Promise) answer.then(settle, done);
    else settle(answer);
  };
}

function admit(
  permission: Permission,
  answer: Authenticated,
  request: FastifyRequest,
  reply: FastifyReply,
): Error | undefined {
  if (typeof answer === "string") {
    const fault = answer === "missing" ? "" : ', error="invalid_token"';
    void reply.header("www-authenticate", `Bearer realm="postdate"${fault}`);
    return new RequestRefused({
      code: "E-DI-2001",
      message:
        answer === "missing"
          ? "A credential is needed. Send an API key as Authorization: Bearer pd_…"
          : "The credential is malformed, revoked or unknown. Send a valid API key as Authorization: Bearer pd_…",
    });
  }
  if (allows(answer.scopes, permission)) {
    request.caller = answer;
    return undefined;
  }
  const scope = leastScope[permission];
  void reply.header(
    "www-authenticate",
    `Bearer realm="postdate", error="insufficient_scope", scope="${scope}"`,
  );
  return new RequestRefused({
    code: "E-DI-2002",
    message: `This key does not allow it. Use one with the scope ${scope}.`,
  });
}
