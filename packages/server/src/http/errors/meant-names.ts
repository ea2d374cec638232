import { nearNames } from "../../config/near-names.ts";

/** Names that differ in more letters mean something else. */
const mostLettersApart = 2;

/** The known names that the caller may mean by this one, which is unknown. */
export function meantNames(name: string, known: readonly string[]): readonly string[] {
  const written = letters(name);
  const same = known.filter((one) => letters(one) === written);
  if (same.length > 0) return same;
  // Comparing takes long, and a caller may give thousands of names.
  const asLong = known.filter((one) => Math.abs(one.length - name.length) <= mostLettersApart);
  return nearNames(name, asLong);
}

/** Without what conventions differ in: `delivery_time`, `deliverytime`. */
function letters(name: string): string {
  return name.replaceAll(/[-_]/g, "").toLowerCase();
}
