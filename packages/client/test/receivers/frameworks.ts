import { createServer } from "node:http";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { expressReceiver, fastifyReceiver, nodeReceiver } from "@postdate/client/node";
import type { Handler, ReceiveOptions } from "@postdate/client/node";
import { receive } from "@postdate/client/webhook";
import { listening } from "../support/listening.ts";

/** Serves the handler at /hook. Returns the URL of the server. */
export type Framework = (options: ReceiveOptions, handler: Handler) => Promise<string>;

async function expressWith(
  before: readonly express.RequestHandler[],
  options: ReceiveOptions,
  handler: Handler,
): Promise<string> {
  const app = express();
  for (const each of before) app.use(each);
  app.post("/hook", expressReceiver(options, handler));
  return listening(createServer(app));
}

const keepRaw = express.json({
  type: "*/*",
  strict: false,
  verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes }),
});

/** Where the raw bytes can be had. */
export const frameworks: Readonly<Record<string, Framework>> = {
  "node:http": (options, handler) => listening(createServer(nodeReceiver(options, handler))),
  Express: (options, handler) => expressWith([], options, handler),
  "Express behind a parser of other content": (options, handler) =>
    expressWith([express.urlencoded()], options, handler),
  "Express behind express.raw": (options, handler) =>
    expressWith([express.raw({ type: "*/*" })], options, handler),
  "Express behind express.text": (options, handler) =>
    expressWith([express.text({ type: "*/*" })], options, handler),
  "Express behind a parser that keeps rawBody": (options, handler) =>
    expressWith([keepRaw], options, handler),
  Fastify: async (options, handler) => {
    const app = fastify();
    await app.register(fastifyReceiver(options, handler), { prefix: "/hook" });
    app.post("/json", (request) => ({ parsed: request.body }));
    await app.ready();
    return listening(app.server);
  },
  Hono: (options, handler) => {
    const app = new Hono().post("/hook", receive(options, handler));
    return listening(createAdaptorServer({ fetch: app.fetch }) as Server);
  },
  "a fetch handler, as Workers have it": (options, handler) =>
    listening(createAdaptorServer({ fetch: receive(options, handler) }) as Server),
};

/** Where a parser has taken them. */
export const parsing: Readonly<Record<string, Framework>> = {
  "Express behind express.json": (options, handler) =>
    expressWith([express.json()], options, handler),
  "node:http behind a reader": (options, handler) => {
    const receiver = nodeReceiver(options, handler);
    return listening(
      createServer((request, response) => {
        request.resume().once("end", () => receiver(request, response));
      }),
    );
  },
  Hono: (options, handler) => {
    const app = new Hono();
    app.use(async (context, next) => {
      await context.req.raw.text();
      await next();
    });
    app.post("/hook", receive(options, handler));
    return listening(createAdaptorServer({ fetch: app.fetch }) as Server);
  },
};
