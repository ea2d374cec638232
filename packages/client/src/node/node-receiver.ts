import type { ServerResponse } from "node:http";
import { receive } from "../webhook/index.ts";
import type { Handler, ReceiveOptions } from "../webhook/index.ts";
import { answerOf } from "./node-request.ts";
import type { NodeRequest } from "./node-request.ts";

/** A listener for `createServer`, and a handler for whatever else passes on requests of `node:http`. */
export type NodeListener = (request: NodeRequest, response: ServerResponse) => void;

/**
 * Receives deliveries with `node:http`, and in Express as `expressReceiver`. What the handler does decides the
 * answer, as with `receive`.
 *
 * A parser in front must leave the bytes: it comes after this route, does not read the delivery's content type, is
 * `express.raw` or `express.text`, or keeps the bytes as `request.rawBody`.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { nodeReceiver } from "@postdate/client/node";
 *
 * const secret = process.env.POSTDATE_WEBHOOK_SECRET;
 * createServer(nodeReceiver({ secret }, async ({ payload }) => console.log(payload))).listen(8080);
 * ```
 * @example
 * ```ts
 * import express from "express";
 * import { expressReceiver } from "@postdate/client/node";
 *
 * const app = express();
 * const secret = process.env.POSTDATE_WEBHOOK_SECRET;
 * app.post("/hook", expressReceiver({ secret }, async ({ payload }) => console.log(payload)));
 * ```
 */
export function nodeReceiver(options: ReceiveOptions, handler: Handler): NodeListener {
  const route = receive(options, handler);
  return (request, response) => {
    void answerOf(route, request)
      .then(({ status, headers, text }) => {
        // Somebody else's timeout may have answered meanwhile.
        if (!response.headersSent) response.writeHead(status, headers).end(text);
      })
      // The connection is all that can fail here, and then there is nobody to tell.
      .catch(() => response.destroy());
  };
}
