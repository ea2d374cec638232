import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const manifestOf = (folder: string) => JSON.parse(read(`packages/${folder}/package.json`));

interface Locked {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}
const locked: Readonly<Record<string, Locked>> = JSON.parse(read("package-lock.json")).packages;

/** Everything that a package needs at the end, found in the lockfile as Node.js finds it. */
function neededBy(folder: string): Set<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    for (const name of Object.keys(locked[path]?.dependencies ?? {})) {
      let from = path;
      while (!((from === "" ? "" : `${from}/`) + `node_modules/${name}` in locked)) {
        if (from === "") throw new Error(`${name} is not in the lockfile`);
        from = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")));
      }
      const at = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
      const needed = `${name}@${locked[at]!.version}`;
      if (!found.has(needed)) {
        found.add(needed);
        visit(at);
      }
    }
  };
  visit(folder);
  return found;
}

test.each(["server", "client"])(
  "the list of what %s needs is whole, by the lockfile",
  (name) => {
    const folder = `packages/${name}`;
    const text = execFileSync("node", ["deploy/sbom.js", folder], { cwd: root, encoding: "utf8" });
    const { bomFormat, metadata, components } = JSON.parse(text);
    expect(bomFormat).toBe("CycloneDX");
    const manifest = manifestOf(name);
    expect(metadata.component).toMatchObject({ version: manifest.version, type: "application" });
    const listed = components.map(
      (one: { name: string; version: string }) => `${one.name}@${one.version}`,
    );
    expect(listed.toSorted()).toEqual([...neededBy(folder)].toSorted());
    if (name === "server") expect(listed).toContainEqual(expect.stringMatching(/^fastify@/));
  },
  120_000,
);

const release = parse(read(".github/workflows/release.yml"));
const commands = (job: string): string =>
  release.jobs[job].steps.map(({ run = "" }: { run?: string }) => run).join("\n");

test("packages are published with their origin, after everything was verified", () => {
  const { packages, image, verify } = release.jobs;
  expect(verify.uses).toBe("./.github/workflows/verify.yml");
  expect(parse(read(".github/workflows/verify.yml")).on).toHaveProperty("workflow_call");
  for (const job of [packages, image]) {
    expect(job).toMatchObject({ needs: "verify", permissions: { "id-token": "write" } });
  }
  expect(release.permissions).toEqual({ contents: "read" });
  const publishing = commands("packages")
    .split("\n")
    .filter((line) => line.includes("npm publish"));
  expect(publishing).toEqual([expect.stringContaining("--provenance")]);
  const packed = [...commands("packages").matchAll(/--workspace (\S+)/g)].map(([, name]) => name);
  expect(packed).toEqual([manifestOf("server").name, manifestOf("client").name]);
  expect(manifestOf("client").version).toBe(manifestOf("server").version);
  for (const [, path] of commands("packages").matchAll(/node (deploy\/\S+\.js)/g)) read(path!);
});

test("the published image is built on images that are named by their digest", () => {
  expect(commands("image")).toContain("deploy/pin-images.sh");
  const build = release.jobs.image.steps.at(-1).with;
  expect(build).toMatchObject({ file: "deploy/Dockerfile", sbom: true, provenance: "mode=max" });
  expect(build["build-args"]).toBe("${{ steps.pinned.outputs.images }}");
  for (const name of ["VERSION", "REVISION"]) {
    expect(read("deploy/Dockerfile")).toContain(`ARG ${name}=`);
    expect(commands("image")).toContain(`"${name}=`);
  }
});
