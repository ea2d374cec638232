import type { FastifyError, FastifyReply } from "fastify";
import { OAuthRefused } from "../../domain/oauth.ts";
import type { OAuthError } from "../../domain/oauth.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { StoreUnavailable } from "../../operations/operations.ts";
import type { Logger } from "../../platform/logger.ts";
import type { AnswerError } from "./answer-errors.ts";
import { statusOf } from "./error-answers.ts";
import { BodyTooLarge, EncodedBody } from "../body/read-body.ts";
import { skipBodyFirst } from "../body/skip-body.ts";

type Thrown = Partial<FastifyError> & Error;

/** OAuth clients know only the error format of OAuth (RFC 6749, section 5.2). */
export const answerOAuthErrorsWith = (logger: Logger, answerError: AnswerError): AnswerError => {
  return (error, request, reply) => {
    if (error instanceof OAuthRefused) {
      if (error.error !== "invalid_client") return answer(reply, 400, error.error, error.message);
      void reply.header("www-authenticate", 'Basic realm="postdate"');
      return answer(reply, 401, error.error, error.message);
    }
    if (error.validation !== undefined)
      return answer(reply, 400, "invalid_request", faultIn(error));
    if (error instanceof RequestRefused) {
      const status = statusOf(error.problems);
      const code = status === 503 ? "temporarily_unavailable" : "invalid_request";
      return answer(reply, status, code, error.problems[0]?.message ?? "");
    }
    if (error instanceof StoreUnavailable) {
      logger.warn({ err: error, requestId: request.id }, "store unavailable");
      void reply.header("retry-after", "1");
      return answer(reply, 503, "temporarily_unavailable", "Send the request again in a moment.");
    }
    if (error instanceof EncodedBody) {
      return skipBodyFirst(request, () => answer(reply, 415, "invalid_request", error.message));
    }
    if (error instanceof BodyTooLarge) {
      return skipBodyFirst(request, () => answer(reply, 413, "invalid_request", error.message));
    }
    switch (error.code) {
      case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      case "FST_ERR_CTP_EMPTY_TYPE":
        return answer(
          reply,
          415,
          "invalid_request",
          "Send the body with Content-Type: application/x-www-form-urlencoded.",
        );
      default:
        return error.statusCode === 400
          ? answer(reply, 400, "invalid_request", "The request could not be read.")
          : answerError(error, request, reply);
    }
  };
};

/** Names the missing parameter. Never repeats what the client sent, because it may be a secret. */
function faultIn({ validation, validationContext }: Thrown): string {
  if (validationContext === "querystring")
    return "Send the parameters in the body, not in the URL.";
  const missing = validation?.[0]?.params["missingProperty"];
  return typeof missing === "string" ? `${missing} is missing.` : "The body must be a form.";
}

function answer(reply: FastifyReply, status: number, error: OAuthError, description: string): void {
  void reply
    .code(status)
    .type("application/json; charset=utf-8")
    .send({ error, error_description: description });
}
