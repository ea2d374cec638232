import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy that serves everything below a path, and takes the path away before it asks the server. */
export async function startPrefixProxy(serverUrl: string, prefix: string) {
  const { port } = new URL(serverUrl);
  const proxy = createServer((incoming, outgoing) => {
    if (!incoming.url!.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end();
    const asked = request(
      {
        port,
        host: "127.0.0.1",
        method: incoming.method,
        path: incoming.url!.slice(prefix.length),
        headers: incoming.headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    asked.on("error", () => outgoing.destroy());
    return void incoming.pipe(asked);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`,
    async [Symbol.asyncDispose]() {
      proxy.close();
      proxy.closeAllConnections();
      await once(proxy, "close");
    },
  };
}
