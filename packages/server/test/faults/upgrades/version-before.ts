import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../../../..");
/** The last commit with schema 13: before events, and before the service was ready for operators. */
const commit = "8466bd7a478f4f6859b84820b64732f39d96f854";
const schema = 13;

export interface VersionBefore extends AsyncDisposable {
  /** What a node of it is started with. */
  readonly program: string;
  /** The newest schema that it knows. */
  readonly schema: number;
}

/** The version before this one, with its own sources and the installed dependencies, which it shares with this one. */
export async function checkOutVersionBefore(): Promise<VersionBefore> {
  const folder = await mkdtemp(join(tmpdir(), "postdate-version-before-"));
  await using leftovers = new AsyncDisposableStack();
  leftovers.defer(() => rm(folder, { recursive: true, force: true }));
  await unpack(folder);
  await linkDependencies(folder);
  const owned = leftovers.move();
  return {
    program: join(folder, "packages/server/bin/postdate.js"),
    schema,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function unpack(folder: string): Promise<void> {
  const archive = join(folder, "sources.tar");
  try {
    await run("git", ["archive", "--output", archive, commit, "packages", "package.json"], {
      cwd: root,
    });
  } catch (error) {
    throw new Error(
      `This test runs the version before, which is commit ${commit} of this repository. In a shallow clone, run: git fetch --unshallow`,
      { cause: error },
    );
  }
  await run("tar", ["-xf", archive], { cwd: folder });
}

/** Links to workspaces are relative to where the dependencies stand, and would lead to the sources of this version. */
async function linkDependencies(folder: string): Promise<void> {
  const [from, to] = [join(root, "node_modules"), join(folder, "node_modules")];
  await mkdir(join(to, "@postdate"), { recursive: true });
  for (const name of await readdir(from)) {
    if (name === "@postdate" || name === "postdate" || name.startsWith(".")) continue;
    await symlink(join(from, name), join(to, name));
  }
  for (const name of ["client", "contract"]) {
    await symlink(join(folder, "packages", name), join(to, "@postdate", name));
  }
}
