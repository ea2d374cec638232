import type { onRequestHookHandler } from "fastify";
import {
  AccessToken,
  Errors,
  named,
  NoQuery,
  OAuthErrorAnswer,
  RevocationRequest,
  Revoked,
  TokenRequest,
} from "@postdate/contract";
import type { AnswerError } from "../errors/answer-errors.ts";
import { answerOAuthErrorsWith } from "../errors/answer-oauth-errors.ts";
import { clientCredentials } from "../admission/client-credentials.ts";
import { acceptFormBodies, longestForm } from "../body/form-body.ts";
import type { ReadBody } from "../body/read-body.ts";
import { addressBlock } from "../admission/address-block.ts";
import type { Operations } from "../../operations/operations.ts";
import type { Logger } from "../../platform/logger.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Api } from "./route-options.ts";

export interface OAuthRouteOptions {
  readonly operations: Pick<Operations, "issueToken" | "revokeToken">;
  /** Refuses an address that sends too many requests, before the body is read. */
  readonly limit: onRequestHookHandler;
  readonly logger: Logger;
  readonly readBody: ReadBody;
  /** Answers the errors that OAuth has no format for. */
  readonly answerError: AnswerError;
}

/** How many store calls strangers may have under way at once. The others wait, and addresses take turns. */
const strangersPlaces = { places: 2 };

const tags = ["OAuth"];
const form = ["application/x-www-form-urlencoded"];
const refused = (description: string) => ({ ...named(OAuthErrorAnswer), description });
const errorAnswers = {
  400: refused("The request is wrong, or asks for a scope that the client does not have."),
  401: refused("The client does not exist, or the secret is wrong (`WWW-Authenticate`)."),
  413: refused("The body is too large."),
  415: refused("The body is not a form, or is compressed."),
  429: refused("Too many requests from this address (`Retry-After`)."),
  500: { ...named(Errors), description: "Something went wrong inside the service." },
  503: refused("The store is unavailable or overloaded (`Retry-After`)."),
};

/** The endpoints where OAuth clients get and revoke access tokens. */
export function oauthRoutes(api: Api, options: OAuthRouteOptions): void {
  const { operations, limit, logger, readBody, answerError } = options;
  const inTurn = new PlacesInTurn(strangersPlaces);
  // In a plugin, so that forms and errors in the format of OAuth apply to these routes only.
  api.register((plain, _none, done) => {
    const scope = plain as Api;
    acceptFormBodies(plain, readBody);
    plain.setErrorHandler(answerOAuthErrorsWith(logger, answerError));
    plain.addHook("onRequest", (_request, reply, next) => {
      void reply.header("cache-control", "no-store").header("pragma", "no-cache");
      next();
    });
    plain.addHook("onRequest", limit);

    scope.post(
      "/oauth/token",
      {
        bodyLimit: longestForm,
        config: { access: "anyone" },
        schema: {
          operationId: "issueToken",
          tags,
          summary: "Get an access token",
          description:
            "The client credentials grant of OAuth 2.0 (RFC 6749, section 4.4). The client sends its id and secret with `Authorization: Basic …` or in the body.",
          consumes: form,
          querystring: NoQuery,
          body: named(TokenRequest),
          response: { 200: named(AccessToken), ...errorAnswers },
        },
      },
      async ({ headers, body, ip }) => {
        const credentials = clientCredentials(headers.authorization, body);
        const asked = { grantType: body.grant_type, scope: body.scope };
        const issue = () => operations.issueToken(credentials, asked);
        const issued = await inTurn.run(addressBlock(ip), issue);
        const { token, lifetimeMs, scopes } = issued;
        return {
          access_token: token,
          token_type: "Bearer",
          expires_in: lifetimeMs / 1_000,
          scope: scopes.join(" "),
        };
      },
    );

    scope.post(
      "/oauth/revoke",
      {
        bodyLimit: longestForm,
        config: { access: "anyone" },
        schema: {
          operationId: "revokeToken",
          tags,
          summary: "Revoke an access token",
          description:
            "Revocation as in RFC 7009. It takes effect with the answer. The answer is the same for an invalid token and for a token of another client.",
          consumes: form,
          querystring: NoQuery,
          body: named(RevocationRequest),
          response: { 200: named(Revoked), ...errorAnswers },
        },
      },
      async ({ headers, body, ip }) => {
        const credentials = clientCredentials(headers.authorization, body);
        const revoke = () => operations.revokeToken(credentials, body.token);
        await inTurn.run(addressBlock(ip), revoke);
        return {};
      },
    );
    done();
  });
}
