import { fastify, LogController } from "fastify";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { namedSchemas } from "@postdate/contract";
import { RequestRefused } from "../domain/refusals.ts";
import type { Problem } from "../domain/refusals.ts";
import { answerUnrouted } from "./allowed-methods.ts";
import { answerError } from "./answer-errors.ts";
import { answerBrokenRequest } from "./broken-requests.ts";
import { createGuards } from "./guards.ts";
import { defaultBodyLimits } from "./http-options.ts";
import type { HttpOptions } from "./http-options.ts";
import { acceptJsonBodies } from "./json-body.ts";
import { describeApi } from "./openapi/describe-api.ts";
import { createRequestIds } from "./request-ids.ts";
import { requestProblems } from "./request-problems.ts";
import { batchRoute } from "./routes/batch.ts";
import { docsRoutes } from "./routes/docs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { listRoutes } from "./routes/lists.ts";
import { messageRoutes } from "./routes/messages.ts";
import { nodeRoutes } from "./routes/nodes.ts";
import type { RouteOptions } from "./routes/route-options.ts";
import { serviceRoutes } from "./routes/service.ts";
import { targetRoutes } from "./routes/targets.ts";
import { buildSharedSerialisers } from "./shared-serialisers.ts";

/** Longer than any URL that the HTTP parser lets through: every id is looked up, however odd. */
const longestParameter = 65_536;

const noHost: Problem = { code: "E-DI-1001", message: "A Host header is needed.", field: "Host" };

/** Whoever sends more slowly than this is cut off, and holds nobody's connection for ever. */
const slowestHeadersMs = 20_000;
const slowestRequestMs = 60_000;

export function buildHttpServer(options: HttpOptions): FastifyInstance {
  const bodyLimits = options.bodyLimits ?? defaultBodyLimits;
  const requestIdOf = createRequestIds(options.random);
  // What the framework has to say below a warning, that it listens, is said better elsewhere.
  const level = options.logger.isLevelEnabled("warn") ? "warn" : options.logger.level;
  const logger: FastifyBaseLogger = options.logger.child({}, { level });
  const app = fastify({
    loggerInstance: logger,
    // Requests log through the one logger, with their id where it matters: a child each costs too much.
    childLoggerFactory: () => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    bodyLimit: bodyLimits.single,
    routerOptions: { maxParamLength: longestParameter },
    return503OnClosing: false,
    requestTimeout: slowestRequestMs,
    // A missing Host is refused below, in the format of every other error.
    http: { headersTimeout: slowestHeadersMs, requireHostHeader: false },
    schemaController: { compilersFactory: { buildSerializer: buildSharedSerialisers } },
    ajv: {
      customOptions: {
        allErrors: true,
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        discriminator: true,
        allowUnionTypes: true,
        // Formats document; times and addresses are checked by the domain, which says what is wrong.
        validateFormats: false,
      },
    },
    frameworkErrors: (error, request, reply) => {
      void reply.header("x-request-id", request.id);
      answerError(error, request, reply);
    },
    clientErrorHandler: answerBrokenRequest(options.random),
  });

  app.decorateRequest("loneSurrogates", null);
  app.decorateRequest("caller");
  app.addHook("onRequest", (request, reply, done) => {
    void reply.header("x-request-id", request.id);
    const { httpVersion, headers } = request.raw;
    const hostless = httpVersion === "1.1" && headers.host === undefined;
    done(hostless ? new RequestRefused(noHost) : undefined);
  });
  app.addHook("preHandler", (request, _reply, done) => {
    const unsaid = request.loneSurrogates !== null && !request.routeOptions.attachValidation;
    done(unsaid ? new RequestRefused(...requestProblems(request)) : undefined);
  });
  logRequests(app, options);
  acceptJsonBodies(app);
  app.setErrorHandler(answerError);
  answerUnrouted(app);
  for (const schema of namedSchemas) app.addSchema(schema);
  describeApi(app, options.version);

  const { operations, authenticator } = options;
  const routes: RouteOptions = { operations, guards: createGuards(authenticator), bodyLimits };
  // A plugin of its own, so that the description of the API is in place before the first route.
  app.register((plain, _none, done) => {
    const api = plain.withTypeProvider<TypeBoxTypeProvider>();
    if (options.answersCallers) {
      messageRoutes(api, routes);
      batchRoute(api, routes);
      listRoutes(api, routes);
      targetRoutes(api, routes);
      keyRoutes(api, routes);
      nodeRoutes(api, routes);
    }
    serviceRoutes(api, options);
    docsRoutes(plain);
    done();
  });
  return app;
}

function logRequests(app: FastifyInstance, { logger }: HttpOptions): void {
  if (!logger.isLevelEnabled("debug")) return;
  app.addHook("onResponse", (request, reply, done) => {
    logger.debug(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 1_000) / 1_000,
      },
      "request",
    );
    done();
  });
}
