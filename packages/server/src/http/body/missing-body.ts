import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The operation takes no body for an empty one. */
    readonly bodyMayBeMissing?: boolean;
  }
}

/** Lets the routes that declare it do without a body. */
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
