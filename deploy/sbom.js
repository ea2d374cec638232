// node deploy/sbom.js packages/server        writes to standard output, as CycloneDX
//
// What a published package of this repository needs to run, with the versions of the lockfile. `npm sbom`
// in the repository cannot say so: with --omit=dev it leaves out whatever the repository itself needs for
// development, and that is much of what the service runs with.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..");
const [folder = "packages/server"] = process.argv.slice(2);
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

const { name, version, description, license, dependencies } = readJson(`${folder}/package.json`);
const manifest = { name, version, description, license, dependencies };

/** The lockfile as if the package stood alone, with what is installed for it alone in its own place. */
const installed = Object.entries(readJson("package-lock.json").packages).filter(
  ([, { link }]) => link !== true,
);
const under = (prefix) =>
  installed
    .filter(([path]) => path.startsWith(prefix))
    .map(([path, entry]) => [path.slice(prefix.length - "node_modules/".length), entry]);
const packages = Object.fromEntries([
  ["", manifest],
  ...under("node_modules/"),
  ...under(`${folder}/node_modules/`),
]);
const lockfile = { name, version, lockfileVersion: 3, requires: true, packages };

const place = mkdtempSync(join(tmpdir(), "postdate-sbom-"));
try {
  // npm takes the name of the folder for the name of what is in it.
  const alone = join(place, basename(name));
  mkdirSync(alone);
  writeFileSync(join(alone, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(alone, "package-lock.json"), JSON.stringify(lockfile));
  const flags = ["--package-lock-only", "--omit=optional", "--sbom-format=cyclonedx"];
  const args = ["sbom", ...flags, "--sbom-type=application"];
  const isWindows = process.platform === "win32";
  execFileSync("npm", args, {
    cwd: alone,
    stdio: ["ignore", "inherit", "inherit"],
    shell: isWindows,
  });
} finally {
  rmSync(place, { recursive: true });
}
