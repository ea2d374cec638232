import { named, NoQuery, RotateSigningKey, SigningKeyList } from "@postdate/contract";
import { formatTime } from "../../domain/times.ts";
import type { SigningKey } from "../../operations/access/list-signing-keys.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["OAuth"];

/** The keys that access tokens are signed with, for the operator. */
export function signingKeyRoutes(api: Api, { operations, bodyLimits }: RouteOptions): void {
  api.get(
    "/v1/signing-keys",
    {
      config: { access: "operator" },
      schema: {
        operationId: "listSigningKeys",
        tags,
        summary: "List the signing keys",
        querystring: NoQuery,
        response: { 200: named(SigningKeyList), ...errorAnswers() },
      },
    },
    async ({ operator }) => wireSigningKeys(await operations.listSigningKeys(operator)),
  );

  api.post(
    "/v1/signing-keys/rotate",
    {
      config: { access: "operator", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "rotateSigningKey",
        tags,
        summary: "Make a new signing key",
        description:
          "The new key signs after some minutes, and the old key stays until its tokens have expired. With `removeOld` the new key signs at once, and every token issued before is refused. The answer lists all keys.",
        querystring: NoQuery,
        body: named(RotateSigningKey),
        response: { 200: named(SigningKeyList), ...bodyErrorAnswers() },
      },
    },
    async ({ operator, body }) =>
      wireSigningKeys(await operations.rotateSigningKey(operator, body.removeOld ?? false)),
  );
}

function wireSigningKeys(keys: readonly SigningKey[]) {
  return { items: keys.map((key) => ({ ...key, creationTime: formatTime(key.creationTime) })) };
}
