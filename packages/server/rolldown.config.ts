import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "rolldown";
import manifest from "./package.json" with { type: "json" };

/**
 * The published package: the same folders as the source, as JavaScript. The contract
 * and the client are built in, so that they need not be published for the server; every other dependency
 * stays one.
 */
const dist = join(import.meta.dirname, "dist");
const external = Object.keys(manifest.dependencies);

export default defineConfig({
  input: {
    "app/main": "src/app/main.ts",
    "storage/sqlite/thread/store-thread": "src/storage/sqlite/thread/store-thread.ts",
    "storage/sqlite/reading/reading-thread": "src/storage/sqlite/reading/reading-thread.ts",
    "storage/sqlite/thread/checkpoint-thread": "src/storage/sqlite/thread/checkpoint-thread.ts",
  },
  platform: "node",
  external: (id) =>
    id.startsWith("node:") || external.some((name) => id === name || id.startsWith(`${name}/`)),
  output: {
    dir: dist,
    format: "esm",
    preserveModules: true,
    preserveModulesRoot: "src",
    entryFileNames: "[name].js",
    sourcemap: true,
  },
  plugins: [
    {
      name: "schema-files",
      buildStart: () => rmSync(dist, { recursive: true, force: true }),
      writeBundle() {
        for (const store of ["sqlite", "postgres"]) {
          const migrations = join("storage", store, "migrations");
          cpSync(join(import.meta.dirname, "src", migrations), join(dist, migrations), {
            recursive: true,
          });
        }
      },
    },
  ],
});
