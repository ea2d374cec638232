import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { codes } from "../../domain/refusals.ts";
import type { LoadWatch, Strain } from "./load-watch.ts";
import { Places } from "../admission/places.ts";
import { guardedPath } from "../admission/route-access.ts";
import { waitsToBeAsked } from "../body/expect-continue.ts";
import { createBodyReader } from "../body/read-body.ts";
import type { ReadBody } from "../body/read-body.ts";
import { whenSent } from "../wire/sent-answers.ts";
import { shareConnections } from "./share-connections.ts";
import { boundSkippedBody } from "../body/skip-body.ts";
import type { TurnAway } from "../admission/turned-away.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Says how the process is: answered however much else there is to do. */
    readonly isProbe?: boolean;
  }
}

export type ShedReason = "requests" | "bodies" | "strangers" | "connections" | "pipelines" | Strain;

export interface ShedLoadOptions {
  readonly maxRequests: number;
  /** In CIDR notation. */
  readonly trustProxies: readonly string[];
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
  /** For a request without a credential. */
  letStrangerIn(request: FastifyRequest, reply: FastifyReply): boolean;
  /** For a request whose credential has yet to be verified. */
  letUnverifiedIn(request: FastifyRequest, reply: FastifyReply): boolean;
  readonly readBody: ReadBody;
}

/** An idle connection costs little: a caller may keep several, as clients with a pool do. */
const connectionsPerRequest = 5;

/** In bytes. A smaller answer is not worth a listener: there are few of them on each connection. */
const smallAnswer = 16_384;

const unread = JSON.stringify({
  errors: [
    {
      code: codes.unavailable,
      message: "Read the answers that were sent to you, and ask again then.",
    },
  ],
});

/**
 * Turns requests away, cheaply and before they are read, while there is more to do than the process can
 * bear, or than is right for one account or for strangers. The rest of a body that is turned away is
 * read and dropped: the client has its answer at once, and is not reset while it still sends.
 *
 * A request counts until it is answered, also when its client has hung up: those who give up and come
 * again must not pile up work. One with a large answer counts until that is sent: those who do not read
 * must not pile up answers. While its body is being read hanging up ends it, with an answer to nobody.
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
    letUnverifiedIn(request, reply) {
      if (places.enterUnverified(request)) return true;
      turnAwayFor(request, reply, "strangers");
      return false;
    },
    readBody: createBodyReader({ ...options, places, onTurnedAway: () => onShed("bodies") }),
  };

  shareConnections(app.server, {
    maxConnections: connectionsPerRequest * maxRequests,
    trustProxies: options.trustProxies,
    onClosed: () => onShed("connections"),
  });
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
  app.decorateRequest("answerBytes", 0);
  app.decorateRequest("isKnown", false);
  app.addHook("onRequest", (request, reply, done) => {
    // The guard of these lets in whom it knows. The path is quicker to look at than the route.
    const isGuarded = request.url.startsWith(guardedPath);
    if (!isGuarded && request.routeOptions.config.isProbe === true) return done();
    if (!hasStarted()) return turnAway(request, reply, "starting");
    const strain = isGuarded ? watch.strain : watch.strainForStrangers;
    if (strain !== null) return turnAwayFor(request, reply, strain);
    if (isGuarded || door.letStrangerIn(request, reply)) return done();
    return undefined;
  });

  app.addHook("onSend", (request, reply, payload, done) => {
    if (waitsToBeAsked(request.raw)) void reply.header("connection", "close");
    else boundSkippedBody(request, reply.raw);
    const bytes = sizeOf(payload);
    if (bytes <= smallAnswer) {
      places.leave(request);
      return done(null, payload);
    }
    // The metrics: they are shown whatever else there is to do, but not to whoever does not read them.
    if (request.holder === null && !places.enterAsStranger(request)) {
      onShed("strangers");
      void reply.code(503).header("retry-after", "1").type("application/json; charset=utf-8");
      return done(null, unread);
    }
    places.holdAnswer(request, bytes);
    whenSent(request.raw.socket, reply.raw, () => places.leave(request));
    return done(null, payload);
  });
  return door;
}

function sizeOf(payload: unknown): number {
  return typeof payload === "string" || Buffer.isBuffer(payload) ? payload.length : 0;
}
