import { fastify } from "fastify";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";

/**
 * The page needs its own inline script and styles, and nothing from anywhere else: whatever a later
 * version of it might want to reach, the browser refuses.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** What a connection or an answer has of its own, and must not be copied from another. */
const ownHeaders = new Set(["connection", "content-length", "date"]);

/** `/openapi.json`, and `/docs` to read it, both without reaching any other host. */
export function docsRoutes(app: FastifyInstance): void {
  let description: string | undefined;
  app.get("/openapi.json", { schema: { hide: true } }, (_request, reply) => {
    description ??= JSON.stringify(app.swagger());
    return reply.type("application/json; charset=utf-8").send(description);
  });

  // The page is megabytes of script, which most servers are never asked for: it is loaded when one is.
  let page: Promise<FastifyInstance> | undefined;
  for (const path of ["/docs", "/docs/", "/docs/js/scalar.js"]) {
    // Made once: those who read it slowly, or not at all, then share one copy.
    let made: Promise<LightMyRequestResponse> | undefined;
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      page ??= openPage();
      made ??= page.then((opened) => opened.inject(path));
      const { headers, statusCode, rawPayload } = await made;
      for (const [name, value] of Object.entries(headers)) {
        if (!ownHeaders.has(name)) void reply.header(name, value);
      }
      return reply.code(statusCode).send(rawPayload.length > 0 ? rawPayload : undefined);
    });
  }
}

/** A server of its own that never listens: routes cannot be added to one that does. */
async function openPage(): Promise<FastifyInstance> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const app = fastify();
  app.register(scalar, {
    routePrefix: "/docs",
    hooks: {
      onRequest: (_request, reply, done) => {
        void reply.header("cache-control", "max-age=3600");
        void reply.header("content-security-policy", contentSecurityPolicy);
        void reply.header("referrer-policy", "no-referrer");
        void reply.header("x-content-type-options", "nosniff");
        done();
      },
    },
    configuration: {
      url: "../openapi.json",
      pageTitle: "Postdate API",
      theme: "default",
      withDefaultFonts: false,
      telemetry: false,
      proxyUrl: "",
      hideClientButton: true,
      showDeveloperTools: "never",
      persistAuth: false,
      documentDownloadType: "direct",
      agent: { disabled: true },
      mcp: { disabled: true },
      externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
    },
  });
  return app;
}
