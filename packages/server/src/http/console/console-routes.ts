import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Random } from "../../platform/random.ts";
import { RequestMisfit } from "../errors/error-answers.ts";
import { readConsole, type BuiltConsole } from "./built-console.ts";
import { fillPage, pagePolicy, wayUp } from "./console-page.ts";

export interface ConsoleRouteOptions {
  readonly random: Random;
  /** Where the built console is. By default in this package. */
  readonly consoleFolder?: string;
}

/** The same from the source and from what is built of it. */
const folderOfPackage = fileURLToPath(new URL("../../../dist-console", import.meta.url));

const hidden = { config: { access: "anyone" }, schema: { hide: true } } as const;
const keptForEver = { "cache-control": "public, max-age=31536000, immutable" };
const nonceLength = 16;

const notBuilt = `The console is not built here.

In a checkout of the source, build it and load this page again:

  npm run build:console

Everything else works without it. The documentation of the API is at /docs.
`;

/** Serves the console. Its page is the same at every path: the script in it shows what belongs there. */
export function consoleRoutes(app: FastifyInstance, options: ConsoleRouteOptions): void {
  const { random, consoleFolder = folderOfPackage } = options;
  let reading: Promise<BuiltConsole | undefined> | undefined;

  /** Most servers never serve it, so the first request reads it. Until it is built, every request looks again. */
  async function built(): Promise<BuiltConsole | undefined> {
    reading ??= readConsole(consoleFolder);
    try {
      const found = await reading;
      if (found === undefined) reading = undefined;
      return found;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  }

  app.get("/console", hidden, (request, reply) => {
    const query = request.url.slice("/console".length);
    return reply.redirect(`console/${query}`, 302);
  });

  app.get("/console/*", hidden, async (request, reply) => {
    const path = request.url.split("?", 1)[0]!.slice("/console/".length);
    const up = wayUp(path);
    if (up === undefined) throw nothingThere("There is no such page.");
    const console = await built();
    if (console === undefined) return answerNotBuilt(reply);
    const nonce = random.bytes(nonceLength).toString("base64url");
    return reply
      .header("content-security-policy", pagePolicy(nonce))
      .type("text/html; charset=utf-8")
      .send(fillPage(console.template, { nonce, up }));
  });

  app.get<{ Params: { file: string } }>("/console/assets/:file", hidden, async (request, reply) => {
    const file = (await built())?.files.get(request.params.file);
    if (file === undefined) throw nothingThere("There is no such file. Load the console again.");
    void reply.headers(keptForEver).type(file.type);
    return file.answer.send(request, reply);
  });
}

function answerNotBuilt(reply: FastifyReply): FastifyReply {
  return reply.code(503).type("text/plain; charset=utf-8").send(notBuilt);
}

function nothingThere(message: string): RequestMisfit {
  return new RequestMisfit("no-route", message);
}
