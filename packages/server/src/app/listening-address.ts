import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";

/** Like `listeningAddress`, with `localhost` for the address that stands for all addresses. */
export function reachableAddress(http: FastifyInstance): string {
  return listeningAddress(http).replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, "//localhost:");
}

/** Where the server listens, as callers on this machine write it. */
export function listeningAddress({ server }: FastifyInstance): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
