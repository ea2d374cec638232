import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { Operations } from "../../operations/operations.ts";
import type { BodyLimits } from "../body/body-limits.ts";

/** Fastify that takes the types of handlers from their schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface RouteOptions {
  readonly operations: Operations;
  readonly bodyLimits: BodyLimits;
}
