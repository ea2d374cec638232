import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The operation treats a missing body as an empty object. */
    readonly bodyMayBeMissing?: boolean;
  }
}

/** Lets callers leave out the body on routes that declare it. */
export function acceptMissingBodies(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    if (route.config?.bodyMayBeMissing === true) route.preValidation = takeNoneForEmpty;
  });
}

function takeNoneForEmpty(
  request: FastifyRequest,
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  if (request.body === undefined) request.body = {};
  done();
}
