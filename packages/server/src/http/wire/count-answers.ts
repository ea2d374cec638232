import type { FastifyInstance } from "fastify";
import type { Clock } from "../../platform/clock.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** When its head had arrived, on the monotonic clock. */
    arrivedAt: number;
  }
}

export interface CountAnswersOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly onRoute: (method: string, route: string, statuses: readonly number[]) => void;
  readonly onAnswer: (method: string, route: string, status: number, durationMs: number) => void;
}

/** Whatever was asked for that does not exist, so that strangers cannot make up labels. */
const unrouted = "unrouted";

/** Reports every answer when it begins. The end of an answer would need a listener on each connection. */
export function countAnswers(
  app: FastifyInstance,
  { clock, onRoute, onAnswer }: CountAnswersOptions,
): void {
  app.decorateRequest("arrivedAt", 0);
  app.addHook("onRoute", ({ method, url, schema }) => {
    const response = (schema as { response?: object } | undefined)?.response ?? {};
    const statuses = Object.keys(response)
      .map(Number)
      .filter((status) => status < 400);
    for (const each of [method].flat()) if (each !== "HEAD") onRoute(each, url, statuses);
  });
  app.addHook("onRequest", (request, _reply, done) => {
    request.arrivedAt = clock.monotonic();
    done();
  });
  app.addHook("onSend", (request, { statusCode }, payload, done) => {
    const route = request.is404 ? unrouted : (request.routeOptions.url ?? unrouted);
    const method = route === unrouted ? "any" : request.method;
    onAnswer(method, route, statusCode, clock.monotonic() - request.arrivedAt);
    done(null, payload);
  });
}
