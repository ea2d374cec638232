import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { allows, leastScope, permissions } from "../../domain/access.ts";
import type { Caller, Credential, Operator, Permission, Scope } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { addressBlock } from "./address-block.ts";
import type { AuthenticationMoment, Authenticated, Authenticator } from "./authenticate.ts";
import type { LimitRequests } from "./limit-requests.ts";
import type { Guards } from "./route-access.ts";
import type { Door } from "./door.ts";
import { ShownSession } from "./shown-credential.ts";
import type { ReadCredential, Shown } from "./shown-credential.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How and when the guard let the caller in. Null on a route without a guard. */
    admission: Admission | null;
    /** The guard of every route for callers sets this, before any other check. */
    caller: Caller;
    /** The guard of the operator's routes sets this. */
    operator: Operator;
    /** The guard of the routes for sessions sets this. */
    sessionId: string;
  }
}

interface Admission {
  readonly admit: Admit;
  readonly shown: Shown;
  readonly moment: AuthenticationMoment;
}

export interface GuardOptions {
  readonly authenticator: Authenticator;
  readonly readCredential: ReadCredential;
  readonly limitRequests: LimitRequests;
  readonly door: Pick<Door, "letIn" | "letUnverifiedIn">;
  /** The guard of the route where a page signs in. There is no credential yet. */
  readonly signIn: onRequestHookHandler;
}

/** The holder name for the operator's requests. No account id can equal it. */
const operatorsName = "the operator";

/** Makes one `onRequest` hook for each permission. It refuses a request before its body is read. */
export function createGuards({ limitRequests, signIn, ...options }: GuardOptions): Guards {
  // Requests that are refused count against the limit too, for example those of a suspended account.
  const limit: Admit<Promise<Error | undefined>> = (answer, _request, reply) =>
    answer === "operator" ? undefined : limitRequests(answer.account, reply);
  const forCallers = (permission: Permission): onRequestHookHandler =>
    guardWith({ ...options, limit }, (answer, request, reply) =>
      admitCaller(permission, answer, request, reply),
    );
  const ofCallers = permissions.map((permission) => [permission, forCallers(permission)] as const);
  return {
    ...(Object.fromEntries(ofCallers) as Record<Permission, onRequestHookHandler>),
    operator: guardWith({ ...options, limit: () => undefined }, admitOperator),
    session: guardWith({ ...options, limit }, admitSession),
    signOut: guardWith({ ...options, limit }, admitToSignOut),
    signIn,
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

interface Gate extends Pick<GuardOptions, "authenticator" | "readCredential" | "door"> {
  readonly limit: Admit<Promise<Error | undefined>>;
}

function guardWith(
  { authenticator, readCredential, door, limit }: Gate,
  admit: Admit,
): onRequestHookHandler {
  // One closure for all requests, because nearly all of them pass without waiting.
  const letIn = (
    answer: Authenticated,
    shown: Shown,
    moment: AuthenticationMoment,
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void => {
    if (answer === "missing" || answer === "invalid") return done(refuseUnknown(answer, reply));
    const account = answer === "operator" ? operatorsName : answer.account.accountId;
    if (!door.letIn(request, reply, account)) return;
    request.admission = { admit, shown, moment };
    const limited = limit(answer, request, reply);
    if (!(limited instanceof Promise)) return done(limited ?? admit(answer, request, reply));
    const settle = (refusal?: Error): void => done(refusal ?? admit(answer, request, reply));
    limited.then(settle, done);
  };
  return (request, reply, done) => {
    const moment = authenticator.moment();
    const shown = readCredential(request);
    if (shown instanceof RequestRefused) return done(shown);
    const known = authenticator.recall(shown);
    if (known !== undefined) return letIn(known, shown, moment, request, reply, done);
    // A request that waits for a look-up takes a place too: one of its account if the credential was valid before.
    const claimant = authenticator.claimant(shown);
    const mayWait =
      claimant === undefined
        ? door.letUnverifiedIn(request, reply, authenticator.isMarked(shown))
        : door.letIn(request, reply, claimant);
    if (!mayWait) return;
    const settle = (answer: Authenticated): void =>
      letIn(answer, shown, moment, request, reply, done);
    const from = addressBlock(request.ip);
    Promise.resolve(authenticator.authenticate(shown, from)).then(settle, done);
  };
}

/**
 * A body may take a minute to arrive, and the credential may be revoked meanwhile. So this hook checks the
 * credential again after the body, before the operation runs.
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
    const { shown } = admission;
    const answer =
      authenticator.recall(shown) ?? authenticator.authenticate(shown, addressBlock(request.ip));
    if (answer instanceof Promise) return void answer.then(settle, done);
    return settle(answer);
  };
}

/** Why the caller of a request that takes long would no longer be let in. Rejects if that cannot be found out. */
export type RefuseNow = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Error | undefined>;

export function refuseNowBy(authenticator: Authenticator): RefuseNow {
  return async (request, reply) => {
    const { admission } = request;
    if (admission === null) return undefined;
    const { shown, admit } = admission;
    const answer =
      authenticator.recall(shown) ??
      (await authenticator.authenticate(shown, addressBlock(request.ip)));
    if (answer === "missing" || answer === "invalid") return refuseUnknown(answer, reply);
    return admit(answer, request, reply);
  };
}

function refuseUnknown(answer: "missing" | "invalid", reply: FastifyReply): RequestRefused {
  const fault = answer === "missing" ? "" : ', error="invalid_token"';
  void reply.header("www-authenticate", `Bearer realm="postdate"${fault}`);
  return new RequestRefused({
    code: codes.notAuthenticated,
    message:
      answer === "missing"
        ? "The request has no credential. Send an API key or an access token as Authorization: Bearer …"
        : "The credential is malformed, expired, revoked or unknown. Send a valid API key (pd_…) or access token as Authorization: Bearer …",
  });
}

/** Sets the caller of the request, or says why this credential may not make it. */
export function admitCaller(
  permission: Permission,
  answer: Credential | "operator",
  request: FastifyRequest,
  reply: FastifyReply,
): Error | undefined {
  if (answer === "operator") {
    return refuseScope(
      reply,
      null,
      "The operator's key only manages accounts. Use a credential of the account.",
    );
  }
  const { account, scopes } = answer;
  if (account.state === "SUSPENDED") {
    return new RequestRefused({
      code: codes.accountSuspended,
      message: "The account is suspended. Ask the operator of the service to resume it.",
    });
  }
  if (!allows(scopes, permission)) {
    const scope = leastScope[permission];
    return refuseScope(
      reply,
      scope,
      `This credential does not allow this operation. Use one with the scope ${scope}.`,
    );
  }
  setCaller(answer, request);
  return undefined;
}

function setCaller({ account, scopes, actor }: Credential, request: FastifyRequest): void {
  const { accountId } = account;
  request.caller = { accountId, account, scopes, actor, requestId: request.id };
}

/** Whatever its scopes, a session may be read and ended. */
function admitSession(
  answer: Credential | "operator",
  request: FastifyRequest,
  reply: FastifyReply,
): Error | undefined {
  return (
    refuseWithoutSession(request, reply) ?? admitCaller("readMessages", answer, request, reply)
  );
}

/** A suspended account can do nothing else, but whoever leaves a browser must be able to end its session. */
function admitToSignOut(
  answer: Credential | "operator",
  request: FastifyRequest,
  reply: FastifyReply,
): Error | undefined {
  const refusal = refuseWithoutSession(request, reply);
  if (refusal !== undefined) return refusal;
  if (answer === "operator") return admitSession(answer, request, reply);
  setCaller(answer, request);
  return undefined;
}

function refuseWithoutSession(request: FastifyRequest, reply: FastifyReply): Error | undefined {
  const shown = request.admission?.shown;
  if (!(shown instanceof ShownSession)) {
    return refuseScope(
      reply,
      null,
      "This operation is about the session of a browser, and other credentials have none. Sign in with POST /v1/session.",
    );
  }
  request.sessionId = shown.id;
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
      "This operation needs the operator's key (POSTDATE_OPERATOR_KEY of the server), not a credential of an account.",
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
