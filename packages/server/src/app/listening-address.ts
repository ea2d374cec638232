import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";

/** As `listeningAddress`; one that stands for every address is reached by a name. */
export function reachableAddress(http: FastifyInstance): string {
  return listeningAddress(http).replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, "//localhost:");
}

/** Where it listens, as callers on this machine would write it. */
export function listeningAddress({ server }: FastifyInstance): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
