import {
  Client,
  ClientList,
  ClientPath,
  ClientWithSecret,
  CreateClient,
  named,
  NoBody,
  NoQuery,
  RotateClientSecret,
} from "@postdate/contract";
import { wireClient } from "../wire/wire-access.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Clients"];

export function clientRoutes(api: Api, { operations, bodyLimits }: RouteOptions): void {
  api.post(
    "/v1/clients",
    {
      config: { access: "writeAll" },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "createClient",
        tags,
        summary: "Create an OAuth client",
        description:
          "The client gets access tokens at `POST /oauth/token`. Only this answer shows its secret: keep it. An account may have at most 1,000 clients.",
        querystring: NoQuery,
        body: named(CreateClient),
        response: { 200: named(ClientWithSecret), ...bodyErrorAnswers(409) },
      },
    },
    async ({ caller, body }, reply) => {
      void reply.header("cache-control", "no-store");
      const created = await operations.createClient(caller, body);
      return { ...wireClient(created), clientSecret: created.clientSecret };
    },
  );

  api.get(
    "/v1/clients",
    {
      config: { access: "readAll" },
      schema: {
        operationId: "listClients",
        tags,
        summary: "List the OAuth clients",
        querystring: NoQuery,
        response: { 200: named(ClientList), ...errorAnswers() },
      },
    },
    async ({ caller }) => ({ items: (await operations.listClients(caller)).map(wireClient) }),
  );

  api.get(
    "/v1/clients/:clientId",
    {
      config: { access: "readAll" },
      schema: {
        operationId: "getClient",
        tags,
        summary: "Get an OAuth client",
        params: ClientPath,
        querystring: NoQuery,
        response: { 200: named(Client), ...errorAnswers(404) },
      },
    },
    async ({ caller, params }) => wireClient(await operations.getClient(caller, params.clientId)),
  );

  api.post(
    "/v1/clients/:clientId/rotate-secret",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "rotateClientSecret",
        tags,
        summary: "Rotate the secret of an OAuth client",
        description:
          "The old secret stays valid too until the overlap ends. At most two secrets are valid at once: another rotation during the overlap, also a repeated call, ends the older of the two at once. Only this answer shows the new secret.",
        params: ClientPath,
        querystring: NoQuery,
        body: named(RotateClientSecret),
        response: { 200: named(ClientWithSecret), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params, body }, reply) => {
      void reply.header("cache-control", "no-store");
      const { clientId } = params;
      const rotated = await operations.rotateClientSecret(caller, clientId, body.overlapMs);
      return { ...wireClient(rotated), clientSecret: rotated.clientSecret };
    },
  );

  api.delete(
    "/v1/clients/:clientId",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "removeClient",
        tags,
        summary: "Remove an OAuth client",
        description:
          "The tokens of the client are refused from the answer on. The answer is the client as it was.",
        params: ClientPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Client), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params }) =>
      wireClient(await operations.removeClient(caller, params.clientId)),
  );
}
