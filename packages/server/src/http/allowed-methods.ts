import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { RequestMisfit } from "./error-answers.ts";
import type { HttpOptions } from "./http-options.ts";

const nothingHere = "There is nothing at this path. See /docs for what there is.";
const onlyDelivers =
  "There is nothing at this path: this node only delivers. Call a node with the role api or all.";

/** Answers what no route takes: 405 where the path has other methods, 404 where it has none. */
export function answerUnrouted(
  app: FastifyInstance,
  { answersCallers }: Pick<HttpOptions, "answersCallers">,
): void {
  const methodsByUrl = new Map<
    string,
    { readonly pattern: RegExp; readonly methods: Set<string> }
  >();
  app.addHook("onRoute", ({ url, method }) => {
    const known = methodsByUrl.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    methodsByUrl.set(url, known);
    for (const one of [method].flat()) known.methods.add(one);
  });
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split("?", 1)[0]!;
    // A path may match several routes; one without parameters is the more exact one.
    const matches = [...methodsByUrl]
      .filter(([, { pattern }]) => pattern.test(path))
      .toSorted(([one], [other]) => Number(one.includes(":")) - Number(other.includes(":")));
    if (matches.length === 0) {
      throw new RequestMisfit("no-route", answersCallers ? nothingHere : onlyDelivers);
    }
    const methods = [...new Set(matches.flatMap(([, found]) => [...found.methods]))].toSorted();
    void reply.header("allow", methods.join(", "));
    throw new RequestMisfit(
      "no-method",
      `${request.method} is not possible here; ${methods.join(", ")} ${methods.length === 1 ? "is" : "are"}.`,
    );
  });
}

function patternOf(url: string): RegExp {
  const parts = url.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : escape(part)));
  return new RegExp(`^${parts.join("/")}$`);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
