import { fastify } from "fastify";
import type { FastifyInstance } from "fastify";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { namedSchemas } from "@postdate/contract";
import { RequestRefused } from "../domain/refusals.ts";
import { unroutedMisfit } from "./errors/allowed-methods.ts";
import { answerErrorsWith } from "./errors/answer-errors.ts";
import { answerBrokenRequest } from "./errors/broken-requests.ts";
import { consoleRoutes } from "./console/console-routes.ts";
import { boundPipelines } from "./load/bound-pipelines.ts";
import { countAnswers } from "./wire/count-answers.ts";
import { buildSerialisers, buildValidators, validatorOptions } from "./body/compilers.ts";
import { answerExpectations } from "./body/expect-continue.ts";
import { longestForm } from "./body/form-body.ts";
import { admitAgain, createGuards, refuseNowBy } from "./admission/guards.ts";
import { defaultBodyBudgetBytes, defaultBodyLimits } from "./body/body-limits.ts";
import { defaultTimeLimits } from "./http-options.ts";
import type { HttpOptions } from "./http-options.ts";
import { acceptJsonBodies } from "./body/json-body.ts";
import { acceptMissingBodies } from "./body/missing-body.ts";
import { LargeBodies } from "./body/large-bodies.ts";
import { createRequestLimiter } from "./admission/limit-requests.ts";
import { guardRoutes } from "./admission/route-access.ts";
import { limitByAddress } from "./admission/limit-by-address.ts";
import { limitTokenRequests } from "./admission/limit-token-requests.ts";
import { LoadWatch } from "./load/load-watch.ts";
import { describeApi } from "./openapi/describe-api.ts";
import { protocolProblem } from "./errors/protocol-problem.ts";
import { logRequests } from "./wire/log-requests.ts";
import { keepFurtherListeners } from "./load/further-listeners.ts";
import { cutQuietConnections } from "./load/quiet-connections.ts";
import { createRequestIds } from "./wire/request-ids.ts";
import { refusalProblems } from "./errors/request-problems.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { auditRoutes } from "./routes/audit.ts";
import { authorizationServerRoutes } from "./routes/authorization-server.ts";
import { batchRoute } from "./routes/batch.ts";
import { clientRoutes } from "./routes/clients.ts";
import { docsRoutes } from "./routes/docs.ts";
import { eventEndpointRoutes } from "./routes/event-endpoints.ts";
import { eventReadRoutes } from "./routes/event-reads.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { listRoutes } from "./routes/lists.ts";
import { messageKeyRoutes } from "./routes/message-keys.ts";
import { messageRoutes } from "./routes/messages.ts";
import { nodeRoutes } from "./routes/nodes.ts";
import { oauthRoutes } from "./routes/oauth.ts";
import type { RouteOptions } from "./routes/route-options.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { serviceRoutes } from "./routes/service.ts";
import { sessionRoutes } from "./routes/session.ts";
import { encryptionRoutes } from "./routes/encryption.ts";
import { signingKeyRoutes } from "./routes/signing-keys.ts";
import { statsRoutes } from "./routes/stats.ts";
import { targetRoutes } from "./routes/targets.ts";
import { usageRoute } from "./routes/usage.ts";
import { traceRequests } from "./wire/trace-requests.ts";
import { securityHeaders } from "./wire/security-headers.ts";
import { shedLoad } from "./load/shed-load.ts";
import { readCredentialWith } from "./admission/shown-credential.ts";
import { createSignIn } from "./admission/sign-in.ts";
import { createSiteOf } from "./admission/site.ts";
import { turnAwayWith } from "./admission/turned-away.ts";

/** Longer than any URL that the HTTP parser accepts, so that an operation looks up every id, however long. */
const longestParameter = 65_536;

export function buildHttpServer(options: HttpOptions): FastifyInstance {
  const { limits, observer } = options;
  const bodyLimits = options.bodyLimits ?? defaultBodyLimits;
  const timeLimits = options.timeLimits ?? defaultTimeLimits;
  const headers = securityHeaders(limits.publicUrl);
  const requestIdOf = createRequestIds(options.random);
  const turnAway = turnAwayWith(options.random);
  const answerError = answerErrorsWith(options.logger, turnAway);
  const app = fastify({
    // This code logs what matters. The framework's logger would add work to every answer.
    logger: false,
    genReqId: requestIdOf,
    bodyLimit: bodyLimits.single,
    routerOptions: { maxParamLength: longestParameter },
    return503OnClosing: false,
    trustProxy: limits.trustProxies.length > 0 && [...limits.trustProxies],
    requestTimeout: timeLimits.requestMs,
    keepAliveTimeout: timeLimits.keepAliveMs,
    http: {
      headersTimeout: timeLimits.headersMs,
      connectionsCheckingInterval: timeLimits.lookEveryMs,
      // Joined, two credentials are not valid. A proxy in front may have checked only one of them.
      joinDuplicateHeaders: true,
      // A hook below refuses a request without Host, in the format of every other error.
      requireHostHeader: false,
    },
    schemaController: {
      compilersFactory: { buildSerializer: buildSerialisers, buildValidator: buildValidators },
    },
    ajv: { customOptions: validatorOptions },
    // The framework would join all problems into one text that no code reads.
    schemaErrorFormatter: () => new Error("the request does not match its schema"),
    frameworkErrors: (error, request, reply) => {
      void reply.headers(headers).header("x-request-id", request.id);
      answerError(error, request, reply);
    },
    clientErrorHandler: answerBrokenRequest(options.random, headers),
  });

  keepFurtherListeners(app);
  boundPipelines(app.server, () => observer.shed("pipelines"));
  answerExpectations(app.server);
  app.decorateRequest("loneSurrogates", null);
  app.decorateRequest("caller");
  app.decorateRequest("operator");
  app.decorateRequest("sessionId", "");
  app.decorateRequest("admission", null);
  countAnswers(app, {
    clock: options.clock,
    onRoute: (...route) => observer.routed?.(...route),
    onAnswer: (...answer) => observer.answered(...answer),
  });
  traceRequests(app, options.tracer);
  const misfitOf = unroutedMisfit(app, options);
  app.addHook("onRequest", (request, reply, done) => {
    void reply.headers(headers).header("x-request-id", request.id);
    const problem = protocolProblem(request.raw);
    if (problem !== undefined) return done(new RequestRefused(problem));
    return done(request.is404 ? misfitOf(request, reply) : undefined);
  });
  const door = shedLoad(app, {
    maxRequests: limits.maxRequests,
    trustProxies: limits.trustProxies,
    leastBodyLimit: Math.min(longestForm, ...Object.values(bodyLimits)),
    bodyBudgetBytes: options.bodyBudgetBytes ?? defaultBodyBudgetBytes,
    watch: new LoadWatch({ ...options, ...limits }),
    turnAway,
    hasStarted: options.hasStarted,
    onShed: (reason) => observer.shed(reason),
  });
  cutQuietConnections(app, { ...options, ...timeLimits });
  logRequests(app, options);
  acceptJsonBodies(app, door.readBody, new LargeBodies(options));
  acceptMissingBodies(app);
  app.setErrorHandler(answerError);
  for (const schema of namedSchemas) app.addSchema(schema);
  describeApi(app, options.version);

  const { operations, authenticator, logger } = options;
  const limitRequests = createRequestLimiter({ ...options, onLimited: () => observer.limited() });
  const addressLimits = {
    limit: limits.tokenRequestLimit,
    clock: options.clock,
    onLimited: () => observer.limited(),
  };
  const siteOf = createSiteOf(limits.publicUrl);
  const admission = { authenticator, limitRequests, door };
  const limitAddress = limitByAddress("sign-ins", addressLimits);
  const signInLink = options.signInLink ?? null;
  const signIn = createSignIn({ ...admission, siteOf, limitAddress, signInLink });
  const readCredential = readCredentialWith(siteOf);
  guardRoutes(app, createGuards({ ...admission, readCredential, signIn: signIn.guard }));
  const lookAgain = admitAgain(authenticator);
  app.addHook("preHandler", (request, reply, done) => {
    const unsaid = request.loneSurrogates !== null && !request.routeOptions.attachValidation;
    if (unsaid) done(new RequestRefused(...refusalProblems(request)));
    else lookAgain(request, reply, done);
  });
  const routes: RouteOptions = { operations, bodyLimits };
  // In a plugin, so that the API description is registered before the first route.
  app.register((plain, _none, done) => {
    const api = plain.withTypeProvider<TypeBoxTypeProvider>();
    if (options.answersCallers) {
      messageRoutes(api, routes);
      messageKeyRoutes(api, routes);
      batchRoute(api, routes);
      listRoutes(api, routes);
      jobRoutes(api, routes);
      scheduleRoutes(api, routes);
      statsRoutes(api, routes);
      targetRoutes(api, routes);
      eventEndpointRoutes(api, routes);
      const refuseNow = refuseNowBy(authenticator);
      eventReadRoutes(api, { ...options, ...routes, door, refuseNow });
      keyRoutes(api, routes);
      sessionRoutes(api, { ...routes, signIn, siteOf });
      clientRoutes(api, routes);
      const limit = limitTokenRequests(addressLimits);
      oauthRoutes(api, { operations, limit, logger, answerError, readBody: door.readBody });
      authorizationServerRoutes(api, options);
      signingKeyRoutes(api, routes);
      encryptionRoutes(api, routes);
      accountRoutes(api, routes);
      usageRoute(api, routes);
      auditRoutes(api, routes);
      nodeRoutes(api, routes);
      consoleRoutes(plain, options);
    }
    serviceRoutes(api, options);
    docsRoutes(plain);
    done();
  });
  return app;
}
