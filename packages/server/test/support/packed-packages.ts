import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "../../../..");

/** The tree as it is after a clone and `npm ci`: whatever was built here is not in it. */
export function freshClone(place: string): string {
  const clone = join(place, "clone");
  cpSync(root, clone, {
    recursive: true,
    filter: (path) => !/^(?:\.git|node_modules|dist|dist-console)$/.test(basename(path)),
  });
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  return clone;
}

export interface PackedPackage {
  readonly tarball: string;
  /** The paths in the package. */
  readonly files: readonly string[];
}

/** Packs a workspace from a tree where nothing was built, as somebody does who publishes it. */
export function packWorkspace(clone: string, workspace: string, place: string): PackedPackage {
  const destination = join(place, "tarballs", workspace);
  mkdirSync(destination, { recursive: true });
  execFileSync("npm", ["pack", "--workspace", workspace, "--pack-destination", destination], {
    cwd: clone,
    stdio: "pipe",
  });
  const [name = ""] = globSync("*.tgz", { cwd: destination });
  const tarball = join(destination, name);
  const listed = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trimEnd();
  return { tarball, files: listed.split("\n").map((path) => path.replace("package/", "")) };
}
