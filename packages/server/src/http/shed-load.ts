import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { LoadWatch, Strain } from "./load-watch.ts";
import { Places } from "./places.ts";
import { createBodyReader } from "./read-body.ts";
import type { ReadBody } from "./read-body.ts";
import type { TurnAway } from "./turned-away.ts";

export type ShedReason = "requests" | "bodies" | "strangers" | "connections" | Strain;

export interface ShedLoadOptions {
  readonly maxRequests: number;
  /** No route takes less. */
  readonly leastBodyLimit: number;
  /** How many bytes of bodies may be under way at once. */
  readonly bodyBudgetBytes: number;
  readonly watch: LoadWatch;
  readonly turnAway: TurnAway;
  /** False until there is something to answer with. */
  readonly hasStarted: () => boolean;
  readonly onShed: (reason: ShedReason) => void;
}

/** Where requests are let in, each on somebody's account, or turned away. */
export interface Door {
  /** False: it was turned away, and has its answer. */
  letIn(request: FastifyRequest, reply: FastifyReply, account: string): boolean;
  /** For whoever has not shown a good credential. */
  letStrangerIn(request: FastifyRequest, reply: FastifyReply): boolean;
  readonly readBody: ReadBody;
}

const alwaysAnswered = new Set<string | undefined>(["/healthz", "/readyz", "/metrics"]);

/** Each of these has a guard, which lets in whom it knows. */
const guardedPaths = "/v1/";

/** An idle connection costs little: a caller may keep several, as clients with a pool do. */
const connectionsPerRequest = 5;

/**
 * Turns requests away, cheaply and before they are read, while there is more to do than the process can
 * bear, or than is right for one account or for strangers. The rest of a body that is turned away is
 * read and dropped: the client has its answer at once, and is not reset while it still sends.
 *
 * A request counts until it is answered, also when its client has hung up: those who give up and come
 * again must not pile up work. While its body is being read hanging up ends it, with an answer to nobody.
 */
export function shedLoad(app: FastifyInstance, options: ShedLoadOptions): Door {
  const { maxRequests, watch, turnAway, hasStarted, onShed } = options;
  const places = new Places(options);
  const turnAwayFor = (request: FastifyRequest, reply: FastifyReply, reason: ShedReason): void => {
    onShed(reason);
    turnAway(request, reply, "overloaded");
  };
  const door: Door = {
    letIn(request, reply, account) {
      if (places.enter(request, account)) return true;
      turnAwayFor(request, reply, "requests");
      return false;
    },
    letStrangerIn(request, reply) {
      if (places.enterAsStranger(request)) return true;
      turnAwayFor(request, reply, "strangers");
      return false;
    },
    readBody: createBodyReader({ ...options, places, onTurnedAway: () => onShed("bodies") }),
  };

  app.server.maxConnections = connectionsPerRequest * maxRequests;
  app.server.on("drop", () => onShed("connections"));
  app.addHook("onReady", (done) => {
    watch.start();
    done();
  });
  app.addHook("onClose", (_app, done) => {
    watch.stop();
    done();
  });

  app.decorateRequest("holder", null);
  app.decorateRequest("heldBytes", 0);
  app.decorateRequest("holdsLargeBody", false);
  app.addHook("onRequest", (request, reply, done) => {
    const isGuarded = request.url.startsWith(guardedPaths);
    if (!isGuarded && alwaysAnswered.has(request.routeOptions.url)) return done();
    if (!hasStarted()) return turnAway(request, reply, "starting");
    const { strain } = watch;
    if (strain !== null) return turnAwayFor(request, reply, strain);
    if (isGuarded || door.letStrangerIn(request, reply)) return done();
    return undefined;
  });

  app.addHook("onSend", (request, _reply, payload, done) => {
    places.leave(request);
    done(null, payload);
  });
  return door;
}
