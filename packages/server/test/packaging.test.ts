import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtConsole } from "../../console/test/support/built-console.ts";
import { testDatabases } from "../src/storage/postgres/testing/test-databases.ts";
import { freshClone, packWorkspace } from "./support/packed-packages.ts";
import { rootKey } from "./support/server-process.ts";
import { startCollector } from "./tracing/support/collector.ts";

const root = join(import.meta.dirname, "../../..");
const makeDatabase = testDatabases();
const place = mkdtempSync(join(tmpdir(), "postdate-package-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

function unpack(tarball: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  return folder;
}

/**
 * Packs both packages from a tree where nothing was built but the console, and lays them out as an install would: no source,
 * no workspace.
 */
function install(consoleFolder: string): string {
  const clone = freshClone(place);
  // Packing builds it if it is not the one of these sources. This run has built it once.
  cpSync(consoleFolder, join(clone, "packages/server/dist-console"), { recursive: true });
  const { tarball, files } = packWorkspace(clone, "postdate", place);
  expect(files).not.toContainEqual(expect.stringMatching(/\.ts$/));
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
  expect(files).toContain("dist-console/index.html");
  for (const ending of ["js", "js.br", "js.gz", "css", "svg"]) {
    expect(files).toContainEqual(
      expect.stringMatching(new RegExp(`^dist-console/assets/[\\w-]+\\.${ending}$`)),
    );
  }

  for (const store of ["sqlite", "postgres"]) {
    const migrations = readdirSync(
      join(import.meta.dirname, "../src/storage", store, "migrations"),
    );
    expect(migrations.length).toBeGreaterThan(0);
    expect(files).toEqual(
      expect.arrayContaining(migrations.map((name) => `dist/storage/${store}/migrations/${name}`)),
    );
  }

  const modules = join(place, "node_modules");
  const target = unpack(tarball, join(modules, "postdate"));
  unpack(
    packWorkspace(clone, "@postdate/client", place).tarball,
    join(modules, "@postdate/client"),
  );
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name === "postdate" || name === "@postdate" || name.startsWith(".")) continue;
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  return join(target, "bin/postdate.js");
}

const settings = {
  POSTDATE_ROOT_KEY: rootKey,
  POSTDATE_ENCRYPTION_KEY: "ab".repeat(32),
  // Other tests on the machine delay the server, and it must not refuse calls because of them.
  POSTDATE_MAX_LOOP_DELAY: "1h",
};
let bin: string;
beforeAll(async () => {
  bin = install(await builtConsole());
}, 120_000);

interface Started {
  readonly url: string;
  /** Ends it as an operator would; answers with the exit code. */
  stop(): Promise<number | null>;
}

async function start(
  args: readonly string[] = [],
  command = "serve",
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const server = spawn(
    process.execPath,
    [bin, command, "--port", "0", "--data-dir", mkdtempSync(join(place, "data-")), ...args],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...settings, ...env } },
  );
  const exited = once(server, "exit") as Promise<[number | null]>;
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  void exited.then(() => server.stdout.destroy());
  const line = await Promise.race([
    once(createInterface(server.stdout), "line").then(([first]) => first as string),
    exited.then(([code]) => `ended with ${code}`),
  ]);
  const [, url] =
    /ready on (http:\/\/127\.0\.0\.1:\d+)(?: |$)/.exec(line) ?? expect.fail(line + log);
  return {
    url: url!,
    async stop() {
      server.kill("SIGTERM");
      return (await exited)[0];
    },
  };
}

test("the package has the project's licence, and says where its source is", () => {
  const { repository } = JSON.parse(
    readFileSync(join(place, "node_modules/postdate/package.json"), "utf8"),
  ) as { repository: object };
  expect(repository).toMatchObject({ url: "git+https://github.com/postdate/postdate.git" });
  const packed = readFileSync(join(place, "node_modules/postdate/LICENSE"), "utf8");
  expect(packed).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
});

test("the published package serves, without the source", async () => {
  const { url, stop } = await start();
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { openapi: string };
  expect(document.openapi).toMatch(/^3\.1/);
  expect((await fetch(`${url}/docs/js/scalar.js`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const page = await (await fetch(`${url}/console/`)).text();
  const [, script] = /src="\.\/(assets\/[^"]+)"/.exec(page) ?? expect.fail(page);
  expect((await fetch(`${url}/console/${script}`)).status).toBe(200);
  // The client is built in: nothing of this repository is beside the package.
  const command = [bin, "nodes", "--json", "--url", url, "--key", rootKey];
  const nodes = execFileSync(process.execPath, command, { encoding: "utf8" });
  expect((JSON.parse(nodes) as { items: unknown[] }).items).toHaveLength(1);
  expect(await stop()).toBe(0);
}, 120_000);

test("on PostgreSQL too, whose schema it brings", async () => {
  const { url, stop } = await start(["--database-url", (await makeDatabase()).url]);
  const headers = { authorization: `Bearer ${rootKey}` };
  const { items } = (await (await fetch(`${url}/v1/nodes`, { headers })).json()) as {
    items: unknown[];
  };
  expect(items).toHaveLength(1);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(await stop()).toBe(0);
}, 120_000);

test("it brings what traces need", async () => {
  await using collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { url, stop } = await start([], "serve", env);
  expect((await fetch(`${url}/v1/targets`)).status).toBe(401);
  expect(await stop()).toBe(0);
  expect(collector.spans).toMatchObject([{ name: "GET /v1/targets" }]);
}, 120_000);

const program = `
  import { createServer } from "node:http";
  import { Postdate } from "@postdate/client";
  import { nodeReceiver } from "@postdate/client/node";

  const postdate = new Postdate();
  const server = createServer().listen(0, "127.0.0.1", async () => {
    const url = "http://127.0.0.1:" + server.address().port;
    const { secret } = await postdate.targets.create({ targetId: "mine", url });
    server.on("request", nodeReceiver({ secret }, ({ payload }) => console.log(payload)));
    await postdate.messages.schedule({ targetId: "mine", in: 1, payload: "hello" });
  });
`;

test("in a folder with both packages, one delivers what the other schedules and verifies", async () => {
  const { url, stop } = await start(["--receiver-port", "0"], "dev");
  writeFileSync(join(place, "program.mjs"), program);
  const child = spawn(process.execPath, ["program.mjs"], {
    cwd: place,
    env: { ...process.env, POSTDATE_URL: url, POSTDATE_KEY: rootKey },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("hello");
  } finally {
    child.kill();
    await ended;
  }
  expect(await stop()).toBe(0);
}, 120_000);
