import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { allows } from "../domain/access.ts";
import type { Caller, Credential, Operator, Permission, Scope } from "../domain/access.ts";
import { RequestRefused } from "../domain/refusals.ts";
import type { AuthenticationMoment, Authenticated, Authenticator } from "./authenticate.ts";
import type { LimitRequests } from "./limit-requests.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How whoever calls was let in; null where nobody has to be. */
    admission: Admission | null;
    /** Set by the guard of every route that belongs to an account, before anything else is looked at. */
    caller: Caller;
    /** Set by the guard of the routes that manage accounts. */
    operator: Operator;
  }
}

interface Admission {
  readonly admit: Admit;
  readonly moment: AuthenticationMoment;
}

/** The least scope that gives a permission, to be named when it is missing. */
const leastScope: Readonly<Record<Permission, Scope>> = {
  readMessages: "scheduler.messages.read",
  writeMessages: "scheduler.messages.readwrite",
  readAll: "scheduler.all.read",
  writeAll: "scheduler.all.readwrite",
};

export type Guards = Readonly<Record<Permission | "operator", onRequestHookHandler>>;

/** One `onRequest` hook for each permission; it refuses before the body is read. */
export function createGuards(authenticator: Authenticator, limitRequests: LimitRequests): Guards {
  // Those that are refused for their scope count too: whoever tries doors does so at the account's cost.
  const limit: Admit<Promise<Error | undefined>> = (answer, _request, reply) =>
    answer === "operator" || answer.account.state === "SUSPENDED"
      ? undefined
      : limitRequests(answer.account, reply);
  const forCallers = (permission: Permission): onRequestHookHandler =>
    guardWith(authenticator, limit, (answer, request, reply) =>
      admitCaller(permission, answer, request, reply),
    );
  return {
    readMessages: forCallers("readMessages"),
    writeMessages: forCallers("writeMessages"),
    readAll: forCallers("readAll"),
    writeAll: forCallers("writeAll"),
    operator: guardWith(authenticator, () => undefined, admitOperator),
  };
}

type HookHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void;

type Admit<Later = never> = (
  answer: Exclude<Authenticated, "missing" | "invalid">,
  request: FastifyRequest,
  reply: FastifyReply,
) => Error | undefined | Later;

function guardWith(
  authenticator: Authenticator,
  limit: Admit<Promise<Error | undefined>>,
  admit: Admit,
): onRequestHookHandler {
  // Once for all requests, and not anew for each: nearly all of them pass without waiting.
  const letIn = (
    answer: Authenticated,
    moment: AuthenticationMoment,
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void => {
    if (answer === "missing" || answer === "invalid") return done(refuseUnknown(answer, reply));
    request.admission = { admit, moment };
    const limited = limit(answer, request, reply);
    if (!(limited instanceof Promise)) return done(limited ?? admit(answer, request, reply));
    const settle = (refusal?: Error): void => done(refusal ?? admit(answer, request, reply));
    limited.then(settle, done);
  };
  return (request, reply, done) => {
    const moment = authenticator.moment();
    const answer = authenticator.authenticate(request.headers.authorization);
    if (!(answer instanceof Promise)) return letIn(answer, moment, request, reply, done);
    answer.then((settled) => letIn(settled, moment, request, reply, done), done);
  };
}

/**
 * The body may have taken a minute to come, and the credential may have been revoked meanwhile: whoever
 * was let in before it is looked at once more before anything is done.
 */
export function admitAgain(authenticator: Authenticator): HookHandler {
  return (request, reply, done) => {
    const { admission } = request;
    if (admission === null || authenticator.isJustNow(admission.moment)) return done();
    const settle = (answer: Authenticated): void =>
      done(
        answer === "missing" || answer === "invalid"
          ? refuseUnknown(answer, reply)
          : admission.admit(answer, request, reply),
      );
    const answer = authenticator.authenticate(request.headers.authorization);
    if (answer instanceof Promise) return void answer.then(settle, done);
    return settle(answer);
  };
}

function refuseUnknown(answer: "missing" | "invalid", reply: FastifyReply): RequestRefused {
  const fault = answer === "missing" ? "" : ', error="invalid_token"';
  void reply.header("www-authenticate", `Bearer realm="postdate"${fault}`);
  return new RequestRefused({
    code: "E-DI-2001",
    message:
      answer === "missing"
        ? "A credential is needed. Send an API key or an access token as Authorization: Bearer …"
        : "The credential is malformed, expired, revoked or unknown. Send a valid API key (pd_…) or access token as Authorization: Bearer …",
  });
}

function admitCaller(
  permission: Permission,
  answer: Credential | "operator",
  request: FastifyRequest,
  reply: FastifyReply,
): Error | undefined {
  if (answer === "operator") {
    return refuseScope(
      reply,
      null,
      "The operator's key manages accounts and opens none. Use a credential of the account.",
    );
  }
  const { account, scopes, actor } = answer;
  if (account.state === "SUSPENDED") {
    return new RequestRefused({
      code: "E-DI-4003",
      message: "The account is suspended. Ask whoever runs the service to resume it.",
    });
  }
  if (!allows(scopes, permission)) {
    const scope = leastScope[permission];
    return refuseScope(
      reply,
      scope,
      `This credential does not allow it. Use one with the scope ${scope}.`,
    );
  }
  const { accountId } = account;
  request.caller = { accountId, account, scopes, actor, requestId: request.id };
  return undefined;
}

const operatorActor = { kind: "operator", id: "operator" } as const;

function admitOperator(
  answer: Credential | "operator",
  request: FastifyRequest,
  reply: FastifyReply,
): Error | undefined {
  if (answer !== "operator") {
    return refuseScope(
      reply,
      null,
      "Accounts are managed with the operator's key (POSTDATE_OPERATOR_KEY of the server), not with a credential of an account.",
    );
  }
  request.operator = { actor: operatorActor, requestId: request.id };
  return undefined;
}

function refuseScope(reply: FastifyReply, scope: Scope | null, message: string): RequestRefused {
  const named = scope === null ? "" : `, scope="${scope}"`;
  void reply.header(
    "www-authenticate",
    `Bearer realm="postdate", error="insufficient_scope"${named}`,
  );
  return new RequestRefused({ code: "E-DI-2002", message });
}
