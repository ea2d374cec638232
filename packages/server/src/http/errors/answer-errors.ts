import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { codes, RequestLimited, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { IssuerUnreachable, StoreUnavailable } from "../../operations/operations.ts";
import type { Logger } from "../../platform/logger.ts";
import { answerProblems, misfitStatus, RequestMisfit } from "./error-answers.ts";
import { NotInUtf8 } from "../body/json-body.ts";
import { BodyInTinyPieces, BodyTooLarge, EncodedBody } from "../body/read-body.ts";
import { refusalProblems } from "./request-problems.ts";
import { skipBodyFirst } from "../body/skip-body.ts";
import { TurnedAway } from "../admission/turned-away.ts";
import type { TurnAway } from "../admission/turned-away.ts";

type Thrown = Partial<FastifyError> & Error;

export type AnswerError = (error: Thrown, request: FastifyRequest, reply: FastifyReply) => void;

/** Makes every error answer. None tells the caller more than it may know. */
export const answerErrorsWith =
  (logger: Logger, turnAway: TurnAway): AnswerError =>
  (error, request, reply) => {
    if (error instanceof RequestRefused) {
      const unauthenticated = error.problems.some(({ code }) => code === codes.notAuthenticated);
      if (unauthenticated && !reply.hasHeader("www-authenticate")) {
        void reply.header("www-authenticate", 'Bearer realm="postdate", error="invalid_token"');
      }
      if (error instanceof RequestLimited) {
        void reply.header("retry-after", String(Math.ceil(error.retryAfterMs / 1_000)));
      }
      return answerProblems(reply, error.problems);
    }
    if (error.validation !== undefined) {
      return answerProblems(reply, refusalProblems(request, error));
    }
    const misfit = error instanceof RequestMisfit ? error : misfitOf(error);
    if (misfit !== undefined) {
      const problem: Problem = { code: codes.misfit, message: misfit.message };
      const answer = (): void => answerProblems(reply, [problem], misfitStatus[misfit.misfit]);
      return isAboutBody(misfit) ? skipBodyFirst(request, answer) : answer();
    }
    if (error instanceof TurnedAway) return turnAway(request, reply, "overloaded");
    if (error instanceof StoreUnavailable) {
      logger.warn({ err: error, requestId: request.id }, "store unavailable");
      return answerLater(
        reply,
        "The store is unavailable or overloaded and nothing was acknowledged. Repeat the request, with its Idempotency-Key, in a moment.",
      );
    }
    if (error instanceof IssuerUnreachable) {
      logger.warn({ err: error, requestId: request.id }, "issuer unreachable");
      return answerLater(
        reply,
        "The issuer of this access token cannot be reached, so the service cannot check the token. Send the request again in a moment.",
      );
    }
    const badRequest = badRequestMessage(error);
    if (badRequest !== undefined) {
      return answerProblems(reply, [{ code: codes.invalidRequest, message: badRequest }]);
    }
    logger.error({ err: error, requestId: request.id }, "request failed");
    answerProblems(reply, [
      {
        code: codes.internalError,
        message: `Something went wrong inside the service. If it persists, report the request id ${request.id}.`,
      },
    ]);
  };

/** Whoever is still sending the body has to see the answer. */
function isAboutBody({ misfit }: RequestMisfit): boolean {
  return misfit === "too-large" || misfit === "media-type";
}

function answerLater(reply: FastifyReply, message: string): void {
  void reply.header("retry-after", "1");
  answerProblems(reply, [{ code: codes.unavailable, message }]);
}

function misfitOf(error: Thrown): RequestMisfit | undefined {
  if (error instanceof NotInUtf8 || error instanceof EncodedBody) {
    return new RequestMisfit("media-type", error.message);
  }
  if (error instanceof BodyTooLarge) return new RequestMisfit("too-large", error.message);
  switch (error.code) {
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_EMPTY_TYPE":
      return new RequestMisfit(
        "media-type",
        "The body must be JSON: send it with Content-Type: application/json.",
      );
    default:
      return undefined;
  }
}

function badRequestMessage(error: Thrown): string | undefined {
  if (error instanceof BodyInTinyPieces) return error.message;
  switch (error.code) {
    case "FST_ERR_CTP_INVALID_JSON_BODY":
      return "The body is not valid JSON.";
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return "The body is not as long as Content-Length says.";
    case "FST_ERR_BAD_URL":
      return "The path is not a valid URL: its percent-encoding is wrong.";
    case "FST_ERR_MAX_PARAM_LENGTH":
      return "The path is too long.";
    default:
      // For example a client that hangs up in the middle of its body.
      return error.statusCode === 400 ? "The request could not be read." : undefined;
  }
}
