import type { FastifyReply, FastifyRequest } from "fastify";

/** Lets requests in, each counted for an account or an address, or turns them away. */
export interface Door {
  /** False if the request was turned away. It then has its answer. */
  letIn(request: FastifyRequest, reply: FastifyReply, account: string): boolean;
  /** Gives the place of a request back that only waits. It must be let in again before its answer. */
  stepAside(request: FastifyRequest): void;
  /** For a request without a credential. */
  letStrangerIn(request: FastifyRequest, reply: FastifyReply): boolean;
  /** For a request whose credential has yet to be verified. Strangers cannot make a marked one. */
  letUnverifiedIn(request: FastifyRequest, reply: FastifyReply, isMarked: boolean): boolean;
}
