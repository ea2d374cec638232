import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "rolldown";
import type { Plugin, RolldownOptions } from "rolldown";
import { entryName } from "./package.config.ts";
import manifest from "./package.json" with { type: "json" };

/**
 * The published package: one module for each entry, and its types. An entry is built by itself, so that
 * `/webhook` shares nothing with the rest but the class of all errors, which is a module of its own. `/node`
 * imports `/webhook` as a user does, so that both have the same classes of errors.
 */
const dist = join(import.meta.dirname, "dist");

/** By how the source imports them. */
const sharedModules = new Map([
  ["../webhook/index.ts", "./webhook.js"],
  ["../errors.ts", "./errors.js"],
  ["./errors.ts", "./errors.js"],
]);

const sharedModulesStayApart: Plugin = {
  name: "shared-modules-stay-apart",
  resolveId(source) {
    const id = sharedModules.get(source);
    return id === undefined ? null : { id, external: true };
  },
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
    plugins: index === 0 ? [sharedModulesStayApart, types] : [sharedModulesStayApart],
    // Not minified: stacks, debuggers and readers meet this code. Bundlers of programs minify it.
    output: { dir: dist, format: "esm" },
  };
}

const modules = { ...manifest.exports, "./errors": "./src/errors.ts" };

export default defineConfig(Object.entries(modules).map(build));
