import { fastify } from "fastify";
import type { FastifyInstance } from "fastify";
import { RequestMisfit } from "../errors/error-answers.ts";
import { prepareAnswer, type PreparedAnswer } from "../wire/prepared-answer.ts";

/**
 * The page needs its own inline script and styles. The browser refuses everything else that a later version
 * of the page might try to reach.
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

const pageHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The browser asks each time, and the server sends the content again only if it has changed. */
const revalidated = { "cache-control": "no-cache" };
/** For files with a hash of their content in the name. */
const keptForEver = { "cache-control": "public, max-age=31536000, immutable" };

const hidden = { config: { access: "anyone" }, schema: { hide: true } } as const;
const plainScript = "scalar.js";

/** Serves `/openapi.json`, and `/docs` to read it. Neither reaches any other host. */
export function docsRoutes(app: FastifyInstance): void {
  let description: PreparedAnswer | undefined;
  app.get("/openapi.json", hidden, (request, reply) => {
    description ??= prepareAnswer(JSON.stringify(app.swagger()));
    void reply.headers(revalidated).type("application/json; charset=utf-8");
    return description.send(request, reply);
  });

  // The page has megabytes of script, and most servers never serve it. So the first request loads it.
  let making: Promise<DocsPage> | undefined;
  const loaded = (): Promise<DocsPage> => (making ??= makePage());

  app.get("/docs", hidden, (_request, reply) =>
    reply.headers(pageHeaders).headers(revalidated).redirect("/docs/", 301),
  );
  app.get("/docs/", hidden, async (request, reply) => {
    const { html } = await loaded();
    void reply.headers(pageHeaders).headers(revalidated).type("text/html; charset=utf-8");
    return html.send(request, reply);
  });
  app.get<{ Params: { file: string } }>("/docs/js/:file", hidden, async (request, reply) => {
    const { file } = request.params;
    if (!/^scalar(?:-[\w-]{20})?\.js$/.test(file)) throw noSuchFile();
    const { script, scriptName } = await loaded();
    if (file !== scriptName && file !== plainScript) throw noSuchFile();
    void reply.headers(pageHeaders).headers(file === scriptName ? keptForEver : revalidated);
    void reply.type("application/javascript; charset=utf-8");
    return script.send(request, reply);
  });
}

function noSuchFile(): RequestMisfit {
  return new RequestMisfit("no-route", "There is no such file. /docs shows the documentation.");
}

interface DocsPage {
  readonly html: PreparedAnswer;
  readonly script: PreparedAnswer;
  /** Contains a hash of the content, so that a browser may keep the file for ever. */
  readonly scriptName: string;
}

async function makePage(): Promise<DocsPage> {
  const page = await openPage();
  const [html, code] = await Promise.all(
    ["/docs/", "/docs/js/scalar.js"].map((url) => page.inject(url)),
  );
  await page.close();
  const script = prepareAnswer(code!.rawPayload);
  const scriptName = `scalar-${script.hash}.js`;
  return {
    html: prepareAnswer(html!.body.replace(`js/${plainScript}`, `js/${scriptName}`)),
    script,
    scriptName,
  };
}

/** A second server that never listens, because routes cannot be added to one that is running. */
async function openPage(): Promise<FastifyInstance> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const app = fastify();
  app.register(scalar, {
    routePrefix: "/docs",
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
      authentication: { preferredSecurityScheme: "apiKey" },
      documentDownloadType: "direct",
      agent: { disabled: true },
      mcp: { disabled: true },
      externalUrls: { dashboardUrl: "", registryUrl: "", proxyUrl: "", apiBaseUrl: "" },
    },
  });
  return app;
}
