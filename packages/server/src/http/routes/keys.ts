import {
  AccessKey,
  AccessKeyList,
  AccessKeyWithKey,
  CreateKey,
  KeyPath,
  named,
  NoBody,
  NoQuery,
} from "@postdate/contract";
import { wireKey } from "../wire/wire-targets.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Keys"];

export function keyRoutes(api: Api, { operations, bodyLimits }: RouteOptions): void {
  api.post(
    "/v1/keys",
    {
      config: { access: "writeAll" },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "createKey",
        tags,
        summary: "Create an API key",
        description:
          "Only this answer shows the key: keep it. An account may have at most 1,000 keys.",
        querystring: NoQuery,
        body: named(CreateKey),
        response: { 200: named(AccessKeyWithKey), ...bodyErrorAnswers(409) },
      },
    },
    async ({ caller, body }, reply) => {
      void reply.header("cache-control", "no-store");
      const created = await operations.createKey(caller, body);
      return { ...wireKey(created), key: created.key };
    },
  );

  api.get(
    "/v1/keys",
    {
      config: { access: "readAll" },
      schema: {
        operationId: "listKeys",
        tags,
        summary: "List the API keys",
        querystring: NoQuery,
        response: { 200: named(AccessKeyList), ...errorAnswers() },
      },
    },
    async ({ caller }) => ({ items: (await operations.listKeys(caller)).map(wireKey) }),
  );

  api.delete(
    "/v1/keys/:keyId",
    {
      config: { access: "writeAll", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "revokeKey",
        tags,
        summary: "Revoke an API key",
        description: "Takes effect at once. The answer is the key as it was.",
        params: KeyPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(AccessKey), ...bodyErrorAnswers(404) },
      },
    },
    async ({ caller, params }) => wireKey(await operations.revokeKey(caller, params.keyId)),
  );
}
