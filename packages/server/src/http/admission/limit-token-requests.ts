import type { onRequestHookHandler } from "fastify";
import { limitByAddress } from "./limit-by-address.ts";
import type { LimitByAddressOptions } from "./limit-by-address.ts";

/** Refuses in the error format of OAuth, because OAuth clients know no other. */
export function limitTokenRequests(options: LimitByAddressOptions): onRequestHookHandler {
  const limit = limitByAddress("token-requests", options);
  return (request, reply, done) => {
    const seconds = limit(request, reply);
    if (seconds === undefined) return done();
    void reply
      .code(429)
      .type("application/json; charset=utf-8")
      .send({
        error: "temporarily_unavailable",
        error_description: `Too many requests from this address. Wait ${seconds} s, and keep a token for as long as it is valid.`,
      });
    return undefined;
  };
}
