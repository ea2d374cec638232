import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { allows, leastScope, permissions } from "../../domain/access.ts";
import type { Caller, Credential, Operator, Permission, Scope } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { addressBlock } from "./address-block.ts";
import type { AuthenticationMoment, Authenticated, Authenticator } from "./authenticate.ts";
import type { LimitRequests } from "./limit-requests.ts";
import type { Guards } from "./route-access.ts";
import type { Door } from "../load/shed-load.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How the caller was let in; null on a route without a guard. */
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

export interface GuardOptions {
  readonly authenticator: Authenticator;
  readonly limitRequests: LimitRequests;
  readonly door: Pick<Door, "letIn" | "letUnverifiedIn">;
}

/** Whose requests the operator's are; no account can have this name. */
const operatorsName = "the operator";

/** One `onRequest` hook for each permission; it refuses before the body is read. */
export function createGuards({ authenticator, limitRequests, door }: GuardOptions): Guards {
  // Refused requests count too, those of a suspended account and those beyond a scope among them.
  const limit: Admit<Promise<Error | undefined>> = (answer, _request, reply) =>
    answer === "operator" ? undefined : limitRequests(answer.account, reply);
  const forCallers = (permission: Permission): onRequestHookHandler =>
    guardWith({ authenticator, door, limit }, (answer, request, reply) =>
      admitCaller(permission, answer, request, reply),
    );
  const ofCallers = permissions.map((permission) => [permission, forCallers(permission)] as const);
  return {
    ...(Object.fromEntries(ofCallers) as Record<Permission, onRequestHookHandler>),
    operator: guardWith({ authenticator, door, limit: () => undefined }, admitOperator),
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

interface Gate extends Pick<GuardOptions, "authenticator" | "door"> {
  readonly limit: Admit<Promise<Error | undefined>>;
}

function guardWith({ authenticator, door, limit }: Gate, admit: Admit): onRequestHookHandler {
  // Made once, not for each request: nearly all requests pass without waiting.
  const letIn = (
    answer: Authenticated,
    moment: AuthenticationMoment,
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void => {
    if (answer === "missing" || answer === "invalid") return done(refuseUnknown(answer, reply));
    const account = answer === "operator" ? operatorsName : answer.account.accountId;
    if (!door.letIn(request, reply, account)) return;
    request.admission = { admit, moment };
    const limited = limit(answer, request, reply);
    if (!(limited instanceof Promise)) return done(limited ?? admit(answer, request, reply));
    const settle = (refusal?: Error): void => done(refusal ?? admit(answer, request, reply));
    limited.then(settle, done);
  };
  return (request, reply, done) => {
    const moment = authenticator.moment();
    const { authorization } = request.headers;
    const known = authenticator.recall(authorization);
    if (known !== undefined) return letIn(known, moment, request, reply, done);
    // A request that waits for a look-up has a place too: its account's, if it was good before.
    const claimant = authenticator.claimant(authorization);
    const mayWait =
      claimant === undefined
        ? door.letUnverifiedIn(request, reply)
        : door.letIn(request, reply, claimant);
    if (!mayWait) return;
    const settle = (answer: Authenticated): void => letIn(answer, moment, request, reply, done);
    const from = addressBlock(request.ip);
    Promise.resolve(authenticator.authenticate(authorization, from)).then(settle, done);
  };
}

/**
 * The body may take a minute to come, and the credential may be revoked meanwhile. So a caller that was let
 * in before its body is checked once more before anything is done.
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
    const { authorization } = request.headers;
    const answer =
      authenticator.recall(authorization) ??
      authenticator.authenticate(authorization, addressBlock(request.ip));
    if (answer instanceof Promise) return void answer.then(settle, done);
    return settle(answer);
  };
}

function refuseUnknown(answer: "missing" | "invalid", reply: FastifyReply): RequestRefused {
  const fault = answer === "missing" ? "" : ', error="invalid_token"';
  void reply.header("www-authenticate", `Bearer realm="postdate"${fault}`);
  return new RequestRefused({
    code: codes.notAuthenticated,
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
      code: codes.accountSuspended,
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
  return new RequestRefused({ code: codes.insufficientScope, message });
}
