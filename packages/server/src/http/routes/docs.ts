import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";

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

/** `/openapi.json`, and `/docs` to read it, both without reaching any other host. */
export function docsRoutes(app: FastifyInstance): void {
  let description: string | undefined;
  app.get("/openapi.json", { schema: { hide: true } }, (_request, reply) => {
    description ??= JSON.stringify(app.swagger());
    return reply.type("application/json; charset=utf-8").send(description);
  });

  app.register(scalar, {
    routePrefix: "/docs",
    hooks: {
      onRequest: (_request, reply, done) => {
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
}
