import { named, NoBody, NoQuery, Session, SignIn as SignInBody } from "@postdate/contract";
import type { SignIn } from "../admission/sign-in.ts";
import type { SiteOf } from "../admission/site.ts";
import { removedCookie, sessionCookie } from "../admission/session-cookie.ts";
import { wireSession } from "../wire/wire-access.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

export interface SessionRouteOptions extends RouteOptions {
  readonly signIn: Pick<SignIn, "admit">;
  readonly siteOf: SiteOf;
}

const tags = ["Session"];

/** How browsers sign in to the console, see themselves, and sign out. */
export function sessionRoutes(api: Api, options: SessionRouteOptions): void {
  const { operations, bodyLimits, signIn, siteOf } = options;

  api.post(
    "/v1/session",
    {
      config: { access: "signIn" },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "signIn",
        tags,
        summary: "Sign a browser in",
        description:
          "For the console. Sets the cookie `__Host-postdate`, on plain HTTP at a loopback address `postdate-loopback`. The session allows what the key allows, ends with it, and after 12 hours. A key has at most 20 sessions; one more ends the oldest. Needs `postdate-console: 1`, and `Sec-Fetch-Site: same-origin` or an `Origin` that is this server's.",
        querystring: NoQuery,
        body: named(SignInBody),
        response: { 200: named(Session), ...bodyErrorAnswers() },
      },
    },
    async (request, reply) => {
      const { caller, key } = await signIn.admit(request, reply, request.body.key);
      const created = await operations.createSession(caller, key);
      const lifetimeMs = created.expirationTime - created.creationTime;
      void reply.header(
        "set-cookie",
        sessionCookie(siteOf(request)!, created.sessionId, lifetimeMs),
      );
      return wireSession(created);
    },
  );

  api.get(
    "/v1/session",
    {
      config: { access: "session" },
      schema: {
        operationId: "getSession",
        tags,
        summary: "Read the session",
        querystring: NoQuery,
        response: { 200: named(Session), ...errorAnswers() },
      },
    },
    async ({ sessionId }) => wireSession(await operations.getSession(sessionId)),
  );

  api.delete(
    "/v1/session",
    {
      config: { access: "signOut", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "signOut",
        tags,
        summary: "Sign the browser out",
        description:
          "Takes effect at once, also for a copy of the cookie. The answer is the session as it was. Needs `postdate-console: 1`.",
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Session), ...bodyErrorAnswers() },
      },
    },
    async (request, reply) => {
      const ended = await operations.endSession(request.caller, request.sessionId);
      void reply.header("set-cookie", removedCookie(siteOf(request)!));
      return wireSession(ended);
    },
  );
}
