import type { FastifyRequest } from "fastify";
import { requestProblems } from "../errors/request-problems.ts";

const wholeNumber = /^(?:0|[1-9]\d{0,8})$/;

/** Query parameters are text. Of those with these names, only plain decimal digits become a number. */
export function numbersIn(...names: readonly string[]) {
  return (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) {
      const text = query[name];
      if (typeof text === "string" && wholeNumber.test(text)) query[name] = Number(text);
    }
    done();
  };
}

/** The options of a route that answers in pages. Its handler takes the parameters from `soundQuery`. */
export const inPages = { preValidation: numbersIn("limit"), attachValidation: true } as const;

/** The parameters that match the schema, and the problems of the others. */
export function soundQuery<Query extends object>(
  request: Pick<FastifyRequest, "validationError">,
  query: Query,
) {
  if (request.validationError === undefined) return { ...query, problems: [] };
  const problems = requestProblems(request as FastifyRequest);
  const faulty = new Set(problems.map(({ field }) => field));
  const sound = Object.entries(query).filter(([name]) => !faulty.has(name));
  return { ...(Object.fromEntries(sound) as Partial<Query>), problems };
}
