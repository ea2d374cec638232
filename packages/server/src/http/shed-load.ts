import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Random } from "../platform/random.ts";
import type { LoadWatch, Strain } from "./load-watch.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How many bytes of a body it holds; null where nothing is counted, or not any more. */
    heldBytes: number | null;
  }
}

export type ShedReason = "requests" | "bodies" | "connections" | Strain;

export interface ShedLoadOptions {
  readonly maxRequests: number;
  /** No route takes less. */
  readonly leastBodyLimit: number;
  /** How many bytes of bodies may be under way at once. */
  readonly bodyBudgetBytes: number;
  readonly watch: LoadWatch;
  readonly random: Pick<Random, "fraction">;
  readonly onShed: (reason: ShedReason) => void;
}

const alwaysAnswered = new Set<string | undefined>(["/healthz", "/readyz", "/metrics"]);

/** Bodies up to this size have a quarter of the budget for themselves, however many batches come. */
const smallBodyBytes = 1_048_576;
const shareOfLargeBodies = 0.75;

/** An idle connection costs little: a caller may keep several, as clients with a pool do. */
const connectionsPerRequest = 5;

const advice =
  "The service is overloaded, and did nothing about this request. Send it again after as long as Retry-After says.";
const refusal = JSON.stringify({ errors: [{ code: "E-DI-9002", message: advice }] });
/** OAuth has an error format of its own, and its clients know no other. */
const oauthRefusal = JSON.stringify({
  error: "temporarily_unavailable",
  error_description: advice,
});

/**
 * Turns requests away, cheaply and before they are read, while there is more to do than the process can
 * bear. The rest of a body that is turned away is read and dropped by Node.js: the client has its answer
 * at once, and is not reset while it still sends.
 *
 * A request counts until it is answered, also when its client has hung up: those who give up and come
 * again must not pile up work. While its body is being read hanging up ends it, with an answer to nobody.
 */
export function shedLoad(app: FastifyInstance, options: ShedLoadOptions): void {
  const { maxRequests, bodyBudgetBytes, watch } = options;
  let requests = 0;
  let bodyBytes = 0;
  const resize = (request: FastifyRequest, bytes: number): void => {
    if (request.heldBytes === null) return;
    bodyBytes += bytes - request.heldBytes;
    request.heldBytes = bytes;
  };

  app.server.maxConnections = connectionsPerRequest * maxRequests;
  app.server.on("drop", () => options.onShed("connections"));
  app.addHook("onReady", (done) => {
    watch.start();
    done();
  });
  app.addHook("onClose", (_app, done) => {
    watch.stop();
    done();
  });

  app.decorateRequest("heldBytes", null);
  app.addHook("onRequest", (request, reply, done) => {
    if (isAlwaysAnswered(request)) return done();
    const reason = requests >= maxRequests ? "requests" : watch.strain;
    if (reason !== null) return turnAway(request, reply, reason, options);
    requests++;
    request.heldBytes = 0;
    return done();
  });

  // Here the caller is known and nothing of the body was read: strangers cannot use up the budget.
  app.addHook("preParsing", (request, reply, payload, done) => {
    if (request.raw.destroyed) return done(new HungUp());
    const bytes = request.heldBytes === null ? 0 : bytesToHold(request, options.leastBodyLimit);
    if (bytes === 0) return done(null, payload);
    const share = bytes > smallBodyBytes ? shareOfLargeBodies : 1;
    if (bodyBytes + bytes > bodyBudgetBytes * share) {
      return turnAway(request, reply, "bodies", options);
    }
    resize(request, bytes);
    if (request.headers["content-length"] === undefined) {
      whenRead(request.raw, (readBytes) => resize(request, readBytes));
    }
    return done(null, payload);
  });

  app.addHook("onSend", (request, _reply, payload, done) => {
    if (request.heldBytes !== null) {
      requests--;
      bodyBytes -= request.heldBytes;
      request.heldBytes = null;
    }
    done(null, payload);
  });
}

/** Its body will never come to an end: whoever waited for that would wait for ever. */
class HungUp extends Error {
  readonly statusCode = 400;

  constructor() {
    super("the client has hung up");
  }
}

/** `routeOptions` are put together anew whenever they are asked for, so the common case does without. */
function isAlwaysAnswered(request: FastifyRequest): boolean {
  return !request.url.startsWith("/v1/") && alwaysAnswered.has(request.routeOptions.url);
}

/** None for a body that is beyond its route's limit: it is refused for that, and never held. */
function bytesToHold(request: FastifyRequest, leastBodyLimit: number): number {
  const { headers } = request;
  if (headers["transfer-encoding"] !== undefined) return request.routeOptions.bodyLimit;
  const announced = Number(headers["content-length"] ?? 0);
  if (announced <= leastBodyLimit) return announced;
  return announced > request.routeOptions.bodyLimit ? 0 : announced;
}

function whenRead(request: IncomingMessage, tell: (bytes: number) => void): void {
  let bytes = 0;
  request.on("data", (chunk: Buffer) => (bytes += chunk.length)).once("end", () => tell(bytes));
}

function turnAway(
  request: FastifyRequest,
  reply: FastifyReply,
  reason: ShedReason,
  options: ShedLoadOptions,
): void {
  options.onShed(reason);
  const forOAuth = request.routeOptions.url?.startsWith("/oauth/") === true;
  // Spread, so that those turned away together do not come back together.
  const seconds = 1 + Math.floor(options.random.fraction() * 3);
  void reply
    .code(503)
    .header("retry-after", String(seconds))
    .type("application/json; charset=utf-8")
    .send(forOAuth ? oauthRefusal : refusal);
}
