import { barriers } from "./barriers.ts";
import { narrow, wide, type Visitor } from "./visitor.ts";

/**
 * The two ways to look at a page between them see both colour schemes, both widths and every rule. The usual one comes
 * last, and stays.
 */
export const looks = ["dark and narrow", "light and wide"] as const;
export type Look = (typeof looks)[number];

/** From now on the visitor has such a screen. */
export async function takeLook(visitor: Visitor, look: Look): Promise<void> {
  await visitor.page.setViewportSize(look === "light and wide" ? wide : narrow);
  await visitor.prefers(look === "light and wide" ? "light" : "dark");
}

/** What is wrong with a part of the page as it is shown now. */
export async function flaws(visitor: Visitor, look: Look, part: string): Promise<string[]> {
  const rules = look === "light and wide" ? "all" : "colours";
  const found = await barriers(visitor.page, { part, rules });
  return (await visitor.isWiderThanScreen()) ? [...found, "is wider than its screen"] : found;
}
