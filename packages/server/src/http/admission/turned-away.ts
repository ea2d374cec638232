import type { FastifyReply, FastifyRequest } from "fastify";
import { codes } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";

export type TurnAway = (
  request: FastifyRequest,
  reply: FastifyReply,
  why: "overloaded" | "starting",
) => void;

/** The body reader has no reply. It throws this, and the error handler turns the request away. */
export class TurnedAway extends Error {
  constructor() {
    super("the request was turned away");
    this.name = "TurnedAway";
  }
}

const advice = {
  overloaded:
    "The service is overloaded and did nothing with this request. Send it again after the seconds in Retry-After.",
  starting:
    "The service is starting and did nothing with this request. Send it again after the seconds in Retry-After.",
};

/** Made once, because turning a request away must cost almost nothing. */
const inApiFormat = answers((message) => ({ errors: [{ code: codes.unavailable, message }] }));
/** OAuth clients know only the error format of OAuth. */
const inOAuthFormat = answers((message) => ({
  error: "temporarily_unavailable",
  error_description: message,
}));

function answers(format: (message: string) => object): typeof advice {
  const { overloaded, starting } = advice;
  return {
    overloaded: JSON.stringify(format(overloaded)),
    starting: JSON.stringify(format(starting)),
  };
}

export function turnAwayWith(random: Pick<Random, "fraction">): TurnAway {
  return (request, reply, why) => {
    const forOAuth = request.routeOptions.url?.startsWith("/oauth/") === true;
    // Random, so that clients that are turned away together do not come back together.
    const seconds = why === "starting" ? 1 : 1 + Math.floor(random.fraction() * 3);
    // The connection stays open, and the rest of the body is read and dropped. A client whose connection
    // closes while it sends does not see the answer.
    void reply
      .removeHeader("connection")
      .code(503)
      .header("retry-after", String(seconds))
      .type("application/json; charset=utf-8")
      .send((forOAuth ? inOAuthFormat : inApiFormat)[why]);
  };
}
