import type { FastifyRequest } from "fastify";
import type { Problem } from "../../domain/refusals.ts";
import type { GivenJob } from "../../operations/jobs/given-job.ts";
import type { JobRequest } from "../../operations/jobs/job-request.ts";
import { soundBody } from "../errors/request-problems.ts";
import { clippedName } from "../wire/clipped-name.ts";

type Checked = Pick<FastifyRequest, "validationError" | "loneSurrogates">;
type GivenFilter = NonNullable<GivenJob["filter"]>;

/** The fields of a job that match the schema, also within its filter, and the problems of the others. */
export function readJob<Body extends GivenJob>(
  request: Checked,
  body: Body,
): { readonly fields: Partial<Body>; readonly problems: readonly Problem[] } {
  const { fields, problems } = soundBody(request, body);
  if (problems.length === 0) return { fields, problems };
  const filter = soundFilter(body, problems);
  return { fields: filter === undefined ? fields : { ...fields, filter }, problems };
}

/** Validation failed, so the type may be wrong. There may be no body, and a filter of any type. */
function soundFilter(body: unknown, problems: readonly Problem[]): GivenFilter | undefined {
  const filter = (body as { readonly filter?: unknown } | null | undefined)?.filter;
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) return undefined;
  const faulty = new Set(problems.map(({ field = "" }) => partOfFilter(field)));
  const sound = Object.entries(filter).filter(([name]) => !faulty.has(clippedName(name)));
  return Object.fromEntries(sound);
}

function partOfFilter(field: string): string | undefined {
  return field.startsWith("filter.") ? field.split(/[.[]/, 2)[1] : undefined;
}

/** The same for a redrive of the target that the path names. */
export function redriveOf(targetId: string, given: Omit<GivenJob, "action">): JobRequest["given"] {
  return { ...given, action: "redrive", filter: { ...given.filter, targetId } };
}
