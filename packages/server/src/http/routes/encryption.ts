import { Encryption, named, NoBody, NoQuery } from "@postdate/contract";
import { formatTime } from "../../domain/times.ts";
import type { EncryptionView } from "../../operations/encryption/get-encryption.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Service"];

/** The keys that seal secrets in the store, for the operator. */
export function encryptionRoutes(api: Api, { operations, bodyLimits }: RouteOptions): void {
  api.get(
    "/v1/encryption",
    {
      config: { access: "operator" },
      schema: {
        operationId: "getEncryption",
        tags,
        summary: "Get how secrets are sealed",
        description:
          "How many values each encryption key seals, and how far an exchange of the key is. In a large store counting goes on in the background: ask again while `exact` is false.",
        querystring: NoQuery,
        response: { 200: named(Encryption), ...errorAnswers() },
      },
    },
    async ({ operator }) => wireEncryption(await operations.getEncryption(operator)),
  );

  api.post(
    "/v1/encryption/rotate",
    {
      config: { access: "operator", bodyMayBeMissing: true },
      bodyLimit: bodyLimits.small,
      schema: {
        operationId: "rotateEncryptionKey",
        tags,
        summary: "Exchange the encryption key",
        description:
          "Seals everything anew with the present key of the nodes, in the background. A server that keeps its key in the data folder makes a new one first. If an exchange is under way, nothing changes.",
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Encryption), ...bodyErrorAnswers(409) },
      },
    },
    async ({ operator }) => wireEncryption(await operations.rotateEncryptionKey(operator)),
  );
}

function wireEncryption({ keyId, keys, exact, asOf, nodes, rotation }: EncryptionView) {
  return {
    ...{ keyId, keys: [...keys], exact, asOf: formatTime(asOf), nodes: [...nodes] },
    rotation: rotation && {
      keyId: rotation.keyId,
      state: rotation.endTime === null ? ("RUNNING" as const) : ("DONE" as const),
      startTime: formatTime(rotation.startTime),
      endTime: rotation.endTime === null ? null : formatTime(rotation.endTime),
      rewritten: rotation.rewritten,
      unreadable: rotation.unreadable,
    },
  };
}
