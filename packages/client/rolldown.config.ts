import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "rolldown";
import type { Plugin, RolldownOptions } from "rolldown";
import { entryName } from "./package.config.ts";
import manifest from "./package.json" with { type: "json" };

/**
 * The published package: one module for each entry, and its types. An entry is built by itself, so that
 * `/webhook` shares nothing with the rest. `/node` imports `/webhook` as a user does, so that both have the same
 * classes of errors.
 */
const dist = join(import.meta.dirname, "dist");

const webhookIsAnotherEntry: Plugin = {
  name: "webhook-is-another-entry",
  resolveId: (source) =>
    source === "../webhook/index.ts" ? { id: "./webhook.js", external: true } : null,
};

/** TypeScript leaves `.ts` in the imports of declarations, which not every reader of types resolves. */
function writeTypes(): void {
  execFileSync("tsc", ["--project", "tsconfig.build.json"], {
    cwd: import.meta.dirname,
    stdio: "inherit",
  });
  for (const path of globSync("types/**/*.d.ts", { cwd: dist })) {
    const file = join(dist, path);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/(["']\.{1,2}\/[^"']*)\.ts(["'])/g, "$1.js$2"));
  }
}

/** The types of all entries are written once. */
const types: Plugin = { name: "types", writeBundle: writeTypes };

rmSync(dist, { recursive: true, force: true });

function build([subpath, source]: [string, string], index: number): RolldownOptions {
  return {
    input: { [entryName(subpath)]: source },
    platform: "neutral",
    external: /^node:/,
    plugins: index === 0 ? [webhookIsAnotherEntry, types] : [webhookIsAnotherEntry],
    // Not minified: stacks, debuggers and readers meet this code. Bundlers of programs minify it.
    output: { dir: dist, format: "esm" },
  };
}

export default defineConfig(Object.entries(manifest.exports).map(build));
