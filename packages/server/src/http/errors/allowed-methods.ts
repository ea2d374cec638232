import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { RequestMisfit } from "./error-answers.ts";

export interface UnroutedMisfitOptions {
  /** False on a node that only delivers. Such a node serves health and metrics, and nothing else. */
  readonly answersCallers: boolean;
}

const nothingHere = "There is nothing at this path. See /docs for the paths of this API.";
const onlyDelivers =
  "There is nothing at this path: this node only delivers. Call a node with the role api or all.";

/** The answer to a request that matches no route. */
export type UnroutedMisfit = (request: FastifyRequest, reply: FastifyReply) => RequestMisfit;

/**
 * Answers a request that matches no route: 405 if the path has other methods, 404 if it has none. Call
 * it before the body is read, because no route needs the body.
 */
export function unroutedMisfit(
  app: FastifyInstance,
  { answersCallers }: UnroutedMisfitOptions,
): UnroutedMisfit {
  const methodsByUrl = new Map<
    string,
    { readonly pattern: RegExp; readonly methods: Set<string> }
  >();
  app.addHook("onRoute", ({ url, method }) => {
    const known = methodsByUrl.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    methodsByUrl.set(url, known);
    for (const one of [method].flat()) known.methods.add(one);
  });
  return (request, reply) => {
    const path = request.url.split("?", 1)[0]!;
    // A path may match several routes. A route without parameters is the better match.
    const matches = [...methodsByUrl]
      .filter(([, { pattern }]) => pattern.test(path))
      .toSorted(([one], [other]) => Number(one.includes(":")) - Number(other.includes(":")));
    if (matches.length === 0) {
      return new RequestMisfit("no-route", answersCallers ? nothingHere : onlyDelivers);
    }
    const methods = [...new Set(matches.flatMap(([, found]) => [...found.methods]))].toSorted();
    void reply.header("allow", methods.join(", "));
    return new RequestMisfit(
      "no-method",
      `This path does not take ${request.method}, only ${methods.join(", ")}.`,
    );
  };
}

function patternOf(url: string): RegExp {
  const parts = url.split("/").map((part) => {
    if (part === "*") return ".*";
    return part.startsWith(":") ? "[^/]+" : escape(part);
  });
  return new RegExp(`^${parts.join("/")}$`);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
