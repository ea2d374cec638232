import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type Axe from "axe-core";
import type { Page } from "playwright-core";

const script = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** What another colour scheme can change. */
const colours = ["color-contrast", "link-in-text-block"];

interface Where {
  /** A selector: what is looked at. */
  readonly part: string;
  readonly rules: "all" | "colours";
}

/** What breaks the rules of WCAG 2.2 AA, in words. */
export async function barriers(page: Page, { part, rules }: Where): Promise<string[]> {
  // Through the protocol, which no policy of the page stops.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(script);
  const runOnly =
    rules === "all"
      ? { type: "tag" as const, values: everything }
      : { type: "rule" as const, values: colours };
  const options = { runOnly, resultTypes: ["violations" as const] };
  return page.evaluate(
    async (order) => {
      const { axe } = globalThis as unknown as { axe: typeof Axe };
      const { violations } = await axe.run(order.part, order.options);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, any }) => `${id}: ${html.slice(0, 200)} ${any[0]?.message ?? ""}`),
      );
    },
    { part, options },
  );
}
