import type { FastifyRequest } from "fastify";
import type { Problem } from "../../domain/refusals.ts";
import { clippedName } from "../wire/clipped-name.ts";
import { soundBody } from "./request-problems.ts";

/** As `soundBody`. Of the object that the body has as this part, it returns the fields that match the schema, too. */
export function soundBodyWith<Body extends object>(
  request: Pick<FastifyRequest, "validationError" | "loneSurrogates">,
  body: Body,
  part: string & keyof Body,
): { readonly fields: Partial<Body>; readonly problems: readonly Problem[] } {
  const { fields, problems } = soundBody(request, body);
  if (problems.length === 0) return { fields, problems };
  const sound = soundPart(body, part, problems);
  return { fields: sound === undefined ? fields : { ...fields, [part]: sound }, problems };
}

/** Validation failed, so the type may be wrong. There may be no body, and a part of any type. */
function soundPart(
  body: unknown,
  part: string,
  problems: readonly Problem[],
): Readonly<Record<string, unknown>> | undefined {
  const value = (body as Readonly<Record<string, unknown>> | null | undefined)?.[part];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const inside = (field: string): string | undefined =>
    field.startsWith(`${part}.`) ? field.split(/[.[]/, 2)[1] : undefined;
  const faulty = new Set(problems.map(({ field = "" }) => inside(field)));
  const sound = Object.entries(value).filter(([name]) => !faulty.has(clippedName(name)));
  return Object.fromEntries(sound);
}
