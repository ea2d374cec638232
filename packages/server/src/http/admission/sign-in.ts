import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Caller } from "../../domain/access.ts";
import type { SignInLink } from "../../domain/session.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { addressBlock } from "./address-block.ts";
import type { Authenticator } from "./authenticate.ts";
import type { Door } from "./door.ts";
import { admitCaller } from "./guards.ts";
import type { LimitByAddress } from "./limit-by-address.ts";
import type { LimitRequests } from "./limit-requests.ts";
import { whyForeign } from "./own-pages.ts";
import type { SiteOf } from "./site.ts";
import { keyBehindLink } from "./sign-in-link.ts";

export interface SignInOptions {
  readonly authenticator: Pick<Authenticator, "authenticate">;
  readonly siteOf: SiteOf;
  readonly limitAddress: LimitByAddress;
  readonly limitRequests: LimitRequests;
  readonly signInLink: SignInLink | null;
  readonly door: Pick<Door, "letStrangerIn">;
}

export interface SignIn {
  /** Runs before the body is read. Whoever signs in is a stranger until then. */
  readonly guard: onRequestHookHandler;
  /** The caller that the key makes, or the code of a link. Throws if it makes none. */
  admit(request: FastifyRequest, reply: FastifyReply, given: string): Promise<SignedIn>;
}

export interface SignedIn {
  readonly caller: Caller;
  readonly key: string;
}

const plainHttp =
  "The console signs in over TLS, or over plain HTTP on this machine (localhost). Behind a proxy that ends TLS, set POSTDATE_PUBLIC_URL to the https address that browsers use.";

/**
 * A wrong key costs here what it costs in an `Authorization` header, and each address has a limited number
 * of tries besides. A page of another origin cannot sign a browser in: not even into an account of its own.
 */
export function createSignIn(options: SignInOptions): SignIn {
  const { authenticator, siteOf, limitAddress, limitRequests, door } = options;

  const keyBehind = keyBehindLink(options.signInLink);

  const misfit = (request: FastifyRequest): string | undefined => {
    const site = siteOf(request);
    return site === undefined ? plainHttp : whyForeign(request, site);
  };

  return {
    guard(request, reply, done) {
      // Before the limit: otherwise any page could use up the tries of whoever looks at it.
      const message = misfit(request);
      if (message !== undefined) {
        return done(new RequestRefused({ code: codes.invalidRequest, message }));
      }
      const seconds = limitAddress(request, reply);
      if (seconds !== undefined) {
        return done(
          new RequestRefused({
            code: codes.tooManyRequests,
            message: `Too many sign-ins from this address. Wait ${seconds} s (Retry-After).`,
          }),
        );
      }
      return door.letStrangerIn(request, reply) ? done() : undefined;
    },

    async admit(request, reply, given) {
      const key = keyBehind(given);
      const answer = await authenticator.authenticate(`Bearer ${key}`, addressBlock(request.ip));
      const isCaller = typeof answer === "object" && answer.actor.kind === "key";
      if (!isCaller && answer !== "operator") {
        throw new RequestRefused({
          code: codes.notAuthenticated,
          message: "The key is malformed, revoked or unknown. Sign in with an API key (pd_…).",
          field: "key",
        });
      }
      const refusal =
        (answer === "operator" ? undefined : await limitRequests(answer.account, reply)) ??
        admitCaller("readMessages", answer, request, reply);
      if (refusal !== undefined) throw refusal;
      return { caller: request.caller, key };
    },
  };
}
