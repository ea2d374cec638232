import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** Different loopback ports that are free at the moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(
    servers.map((server) => {
      server.close();
      return once(server, "close");
    }),
  );
  return ports;
}
