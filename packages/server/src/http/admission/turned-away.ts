import type { FastifyReply, FastifyRequest } from "fastify";
import { codes } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";

export type TurnAway = (
  request: FastifyRequest,
  reply: FastifyReply,
  why: "overloaded" | "starting",
) => void;

/** While a body is being read there is no reply at hand: the error handler turns the request away. */
export class TurnedAway extends Error {
  constructor() {
    super("the request was turned away");
    this.name = "TurnedAway";
  }
}

const advice = {
  overloaded:
    "The service is overloaded, and did nothing about this request. Send it again after as long as Retry-After says.",
  starting:
    "The service is starting, and did nothing about this request. Send it again after as long as Retry-After says.",
};

/** Made once: whoever is turned away should cost next to nothing. */
const inApiFormat = answers((message) => ({ errors: [{ code: codes.unavailable, message }] }));
/** OAuth has an error format of its own, and its clients know no other. */
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
    // Spread, so that those turned away together do not come back together.
    const seconds = why === "starting" ? 1 : 1 + Math.floor(random.fraction() * 3);
    // The rest of the body is read and dropped: whoever is cut off while it sends never sees its answer.
    void reply
      .removeHeader("connection")
      .code(503)
      .header("retry-after", String(seconds))
      .type("application/json; charset=utf-8")
      .send((forOAuth ? inOAuthFormat : inApiFormat)[why]);
  };
}
