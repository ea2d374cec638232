import { codes } from "../domain/refusals.ts";
import type { Problem } from "../domain/refusals.ts";
import type { TargetKindName } from "../domain/target.ts";
import type { GivenSettings } from "./target-kind.ts";

/** Reports settings that the caller gives and that the kind does not have. */
export function foreignFields(
  kind: TargetKindName,
  given: GivenSettings,
  own: readonly string[],
): readonly Problem[] {
  return Object.keys(given)
    .filter((field) => given[field] !== undefined && !own.includes(field))
    .map((field) => ({
      code: codes.invalidRequest,
      message: `A target of kind ${kind} has no ${JSON.stringify(field)}. Leave it out.`,
      field,
    }));
}
