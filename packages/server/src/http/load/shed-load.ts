import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { codes } from "../../domain/refusals.ts";
import type { LoadWatch } from "./load-watch.ts";
import type { Door } from "../admission/door.ts";
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
    /** Reports on the process itself, and is answered even under overload. */
    readonly isProbe?: boolean;
  }
}

export const shedReasons = [
  "requests",
  "bodies",
  "strangers",
  "connections",
  "pipelines",
  "event-loop",
  "memory",
] as const;

export type ShedReason = (typeof shedReasons)[number];

export interface ShedLoadOptions {
  readonly maxRequests: number;
  /** In CIDR notation. */
  readonly trustProxies: readonly string[];
  /** The smallest body limit of all routes. */
  readonly leastBodyLimit: number;
  /** How many bytes of bodies may be under way at once. */
  readonly bodyBudgetBytes: number;
  readonly watch: LoadWatch;
  readonly turnAway: TurnAway;
  /** False until the service can answer calls. */
  readonly hasStarted: () => boolean;
  readonly onShed: (reason: ShedReason) => void;
}

/** Also reads the bodies of the requests that it let in. */
export interface BodyDoor extends Door {
  readonly readBody: ReadBody;
}

/** An idle connection costs little, and clients with a pool keep several. */
const connectionsPerRequest = 5;

/**
 * In bytes. A smaller answer is not worth a listener if nothing is unsent before it: a connection has at most
 * one such answer.
 */
const smallAnswer = 2_048;

/** In bytes. A larger answer needs a place, even one without a caller or to a request that was turned away. */
const largeAnswer = 16_384;

const unread = JSON.stringify({
  errors: [
    {
      code: codes.unavailable,
      message: "Read the answers that were sent to you, then ask again.",
    },
  ],
});

/**
 * Turns requests away, cheaply and before their bodies are read, if the process is overloaded, or if an
 * account or the strangers have more than their share under way. The server answers at once, then reads and
 * drops the rest of the body. So the client is not reset while it still sends.
 *
 * A request counts until it is answered, even if its client has hung up. So clients that give up and come
 * again do not pile up work. Unless its answer is small and can be sent at once, it counts until the answer
 * is sent. So clients that do not read do not pile up answers. A client that hangs up during its body ends
 * its request.
 */
export function shedLoad(app: FastifyInstance, options: ShedLoadOptions): BodyDoor {
  const { maxRequests, watch, turnAway, hasStarted, onShed } = options;
  const places = new Places(options);
  const turnAwayFor = (request: FastifyRequest, reply: FastifyReply, reason: ShedReason): void => {
    onShed(reason);
    turnAway(request, reply, "overloaded");
  };
  const door: BodyDoor = {
    letIn(request, reply, account) {
      if (places.enter(request, account)) return true;
      turnAwayFor(request, reply, "requests");
      return false;
    },
    stepAside: (request) => places.leave(request),
    letStrangerIn(request, reply) {
      if (places.enterAsStranger(request)) return true;
      turnAwayFor(request, reply, "strangers");
      return false;
    },
    letUnverifiedIn(request, reply, isMarked) {
      if (places.enterUnverified(request, isMarked)) return true;
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
    // The guards of these routes let known callers in. Comparing the path is faster than reading the route.
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
    if (bytes <= smallAnswer && isNextToSend(reply.raw)) {
      places.leave(request);
      return done(null, payload);
    }
    if (request.holder === null && bytes <= largeAnswer) return done(null, payload);
    // These are the metrics. They are served even under overload, but not to a client that does not read them.
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
  return typeof payload === "string" || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
}

/** Node.js gives the connection to an answer when all answers before it are complete. */
function isNextToSend({ socket }: ServerResponse): boolean {
  return socket !== null && socket.writableLength === 0;
}
