import swagger from "@fastify/swagger";
import type { FastifyContextConfig, FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import { scopesFor } from "../../domain/access.ts";
import type { Scope } from "../../domain/access.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Headers for the OpenAPI document only. The code that uses them checks them. */
    readonly documentedHeaders?: TSchema;
  }
}

const scopeDescriptions: Readonly<Record<Scope, string>> = {
  "scheduler.all.read": "Read everything in the account.",
  "scheduler.all.readwrite": "Read and change everything in the account.",
  "scheduler.messages.read": "Read messages.",
  "scheduler.messages.readwrite": "Schedule, read and change messages.",
};

/** One of the scopes is enough, whether of a key or of an access token. The operator's key has no scope. */
function securityOf(access: FastifyContextConfig["access"]): Record<string, string[]>[] {
  if (access === "anyone" || access === "signIn") return [];
  if (access === "session" || access === "signOut") return [{ session: [] }];
  if (access === "operator") return [{ operatorKey: [] }];
  return scopesFor(access).flatMap((scope) => [{ apiKey: [scope] }, { oauth2: [scope] }]);
}

/** Makes the OpenAPI 3.1 document from the schemas that validate requests and serialise answers. */
export function describeApi(app: FastifyInstance, version: string): void {
  const withOptionalBody = new Set<string>();
  app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Postdate",
        version,
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
        description:
          "A message scheduling service: give it a string, a target and a time, and it delivers the string at that time.\n\nAn error answer lists all problems of a request; `docs/reference/errors.md` explains each code. Changes within `/v1` only add: ignore fields that you do not know.",
      },
      servers: [{ url: "/", description: "This server" }],
      tags: [
        { name: "Messages", description: "Schedule, read, cancel and reschedule messages." },
        { name: "Jobs", description: "Change many messages at once." },
        { name: "Schedules", description: "Messages that recur." },
        { name: "Statistics", description: "What is due when, and how attempts went." },
        { name: "Targets", description: "Where messages are delivered, and how." },
        { name: "Events", description: "Be told what happens, as it happens." },
        { name: "Keys", description: "API keys and what they allow." },
        { name: "Session", description: "How a browser signs in to the console." },
        { name: "Clients", description: "OAuth 2.0 clients and what their tokens allow." },
        { name: "OAuth", description: "Access tokens, and the keys that sign them." },
        {
          name: "Accounts",
          description: "The owners of messages, targets and credentials, and what they have used.",
        },
        { name: "Audit log", description: "Who did what." },
        { name: "Service", description: "Health, readiness and metrics." },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: "http",
            scheme: "bearer",
            description: "An API key (`pd_…`), sent as `Authorization: Bearer pd_…`.",
          },
          oauth2: {
            type: "oauth2",
            description:
              "An access token that a client gets from `POST /oauth/token`, sent as `Authorization: Bearer …`.",
            flows: {
              clientCredentials: { tokenUrl: "/oauth/token", scopes: { ...scopeDescriptions } },
            },
          },
          session: {
            type: "apiKey",
            in: "cookie",
            name: "__Host-postdate",
            description:
              "The session of a browser, from `POST /v1/session`. The other operations of an account take it too, in place of a key. It counts only for requests of this server's own pages.",
          },
          operatorKey: {
            type: "http",
            scheme: "bearer",
            description:
              "The operator's key (`pdo_…`, `POSTDATE_OPERATOR_KEY` of the server), sent as `Authorization: Bearer pdo_…`.",
          },
        },
      },
    },
    convertConstToEnum: false,
    refResolver: { buildLocalReference: (schema) => schema["$id"] as string },
    transform: ({ schema, url, route }) => {
      const { access, documentedHeaders: headers, bodyMayBeMissing } = route.config!;
      const methods = [route.method].flat();
      if (bodyMayBeMissing === true) {
        for (const method of methods) withOptionalBody.add(`${method} ${url}`);
      }
      const security = securityOf(access);
      const described = { ...schema, security, ...(headers !== undefined && { headers }) };
      const hidden = methods.includes("HEAD") ? { ...described, hide: true } : described;
      return { schema: hidden, url };
    },
    transformObject: (document) => {
      if (!("openapiObject" in document)) return document.swaggerObject;
      const { openapiObject } = document;
      for (const operation of withOptionalBody) {
        const [method, url] = operation.split(" ") as [string, string];
        const path = openapiObject.paths?.[url.replaceAll(/:(\w+)/g, "{$1}")];
        const described = path?.[method.toLowerCase() as "post" | "delete"];
        const body = described?.requestBody;
        if (body !== undefined && "content" in body) body.required = false;
      }
      return openapiObject;
    },
  });
}
