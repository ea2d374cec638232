import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../../../..");

export const guides = [
  "node",
  "express",
  "fastify",
  "nextjs",
  "workers",
  "dead-letter-alerts",
  "events",
] as const;
export type Guide = (typeof guides)[number];

/** The files that a guide shows: blocks of code whose first line has a path after the language. */
export function filesOf(guide: Guide): ReadonlyMap<string, string> {
  const page = readFileSync(join(root, "docs/guides", `${guide}.md`), "utf8");
  const blocks = page.matchAll(/^```ts (\S+)\n([^]*?)^```$/gm);
  return new Map([...blocks].map(([, path, code]) => [path!, code!]));
}

/** A folder with the guide's files, where the packages are installed that it uses. */
export function projectOf(guide: Guide): string {
  const folder = mkdtempSync(join(tmpdir(), `postdate-guide-${guide}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const [path, code] of filesOf(guide)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  return folder;
}
