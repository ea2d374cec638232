import { cpSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "rolldown";
import manifest from "./package.json" with { type: "json" };
import { sourcePlaces } from "./source-places.config.ts";

/**
 * The published package: JavaScript in few files, because a command that loads a thousand takes three times as
 * long to start. The contract and the client are built in, so that they need not be published for the server;
 * every other dependency stays one.
 */
const source = join(import.meta.dirname, "src");
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
    dir: join(import.meta.dirname, "dist"),
    cleanDir: true,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    sourcemap: true,
  },
  plugins: [
    sourcePlaces(source),
    {
      name: "schema-files",
      writeBundle({ dir }) {
        for (const store of ["sqlite", "postgres"]) {
          const migrations = join("storage", store, "migrations");
          cpSync(join(source, migrations), join(dir!, migrations), { recursive: true });
        }
      },
    },
  ],
});
