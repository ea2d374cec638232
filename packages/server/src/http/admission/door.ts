import type { FastifyReply, FastifyRequest } from "fastify";

/** Where requests are let in, each on somebody's account, or turned away. */
export interface Door {
  /** False: it was turned away, and has its answer. */
  letIn(request: FastifyRequest, reply: FastifyReply, account: string): boolean;
  /** For a request without a credential. */
  letStrangerIn(request: FastifyRequest, reply: FastifyReply): boolean;
  /** For a request whose credential has yet to be verified. */
  letUnverifiedIn(request: FastifyRequest, reply: FastifyReply): boolean;
}
