import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerExpectations } from "./body/expect-continue.ts";
import type { HttpOptions } from "./http-options.ts";
import { boundPipelines } from "./load/bound-pipelines.ts";

export interface MetricsListener {
  /** Resolves to the URL that it listens on. */
  listen(host: string, port: number): Promise<string>;
  close(): Promise<void>;
}

/** Only a few scrapers connect. */
const mostConnections = 32;
const timeLimits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/** Serves only `/metrics`, on a port that callers of the service need not reach. */
export function createMetricsListener({
  metricsText,
}: {
  readonly metricsText: NonNullable<HttpOptions["metricsText"]>;
}): MetricsListener {
  const server = createServer(timeLimits, (request, response) => void answer(request, response));
  server.maxConnections = mostConnections;
  boundPipelines(server, () => {});
  answerExpectations(server);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("x-content-type-options", "nosniff");
    const [path] = request.url!.split("?");
    if (path !== "/metrics") return end(response, 404, "This port serves only /metrics.\n");
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return end(response, 405, "Read the metrics with GET.\n");
    }
    try {
      const { contentType, body } = await metricsText();
      response.setHeader("content-type", contentType).end(body);
    } catch {
      end(response, 500, "The metrics could not be read.\n");
    }
  }

  return {
    async listen(host, port) {
      server.listen(port, host);
      await once(server, "listening");
      const { address, family, port: taken } = server.address() as AddressInfo;
      return `http://${family === "IPv6" ? `[${address}]` : address}:${taken}`;
    },
    async close() {
      if (!server.listening) return;
      server.close().closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The listener does not read request bodies, so it closes the connection after the answer. */
function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(text);
}
