import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";

/** Where it listens, as callers on this machine would write it. */
export function listeningAddress({ server }: FastifyInstance): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
