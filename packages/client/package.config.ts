import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";

/**
 * A checkout exports the source, so that nothing needs to be built. A published package has only what was built
 * from it. npm packs the manifest that it finds on the disk, so this one takes its place while npm packs:
 * `node package.config.ts publish`, and `restore` after it.
 */
const manifestPath = join(import.meta.dirname, "package.json");
const keptPath = join(import.meta.dirname, "package.source.json");

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The name of an entry's module: `.` is `index`, `./webhook` is `webhook`. */
export function entryName(subpath: string): string {
  return subpath === "." ? "index" : basename(subpath);
}

/** Types beside the source's own folders, and one module for each entry. */
export function publishedExports(
  exports: Manifest["exports"],
): Record<string, string | Record<string, string>> {
  const entries = Object.entries(exports).map(([subpath, source]) => {
    const types = posix.join("dist/types", posix.relative("src", source)).replace(/\.ts$/, "");
    return [subpath, { types: `./${types}.d.ts`, default: `./dist/${entryName(subpath)}.js` }];
  });
  return { ...Object.fromEntries(entries), "./package.json": "./package.json" };
}

function publish(): void {
  // A run that was interrupted has left the published one in its place.
  restore();
  copyFileSync(manifestPath, keptPath);
  const {
    exports,
    scripts: _,
    devDependencies: __,
    ...kept
  } = JSON.parse(readFileSync(manifestPath, "utf8")) as Manifest;
  const published = { ...kept, exports: publishedExports(exports) };
  writeFileSync(manifestPath, `${JSON.stringify(published, null, 2)}\n`);
}

function restore(): void {
  if (existsSync(keptPath)) renameSync(keptPath, manifestPath);
}

if (import.meta.main) {
  if (process.argv[2] === "publish") publish();
  else restore();
}
