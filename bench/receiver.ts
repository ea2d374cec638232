import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A process of its own that takes deliveries and tells its parent when each arrived. */

const arrivals: [messageId: string, at: number][] = [];
const now = (): number => performance.timeOrigin + performance.now();

const server = createServer((request, response) => {
  const at = now();
  request.resume().on("end", () => {
    arrivals.push([String(request.headers["webhook-id"]), at]);
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
setInterval(() => {
  if (arrivals.length > 0) process.send?.({ arrivals: arrivals.splice(0) });
}, 50);
process.on("disconnect", () => process.exit());
