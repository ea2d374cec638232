import { execFile } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** A registry whose package `postdate` is somebody else's. It notes what it is asked for. */
async function strangersRegistry(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const manifest = { name: "postdate", version: "9.9.9", bin: { postdate: "run.js" } };
  const server = createServer((request, response) => {
    asked.push(request.url!);
    if (request.url === "/postdate.tgz") return response.writeHead(404).end();
    const dist = { tarball: `http://${request.headers.host}/postdate.tgz` };
    response.setHeader("content-type", "application/json");
    return response.end(
      JSON.stringify({
        name: "postdate",
        "dist-tags": { latest: manifest.version },
        versions: { [manifest.version]: { ...manifest, dist } },
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

test.each([
  ["elsewhere it would run a stranger's package", [], true],
  ["in a checkout that is not installed it runs nothing", [".npmrc"], false],
])("npx postdate: %s", async (_what, taken, isInstalled) => {
  const place = mkdtempSync(join(tmpdir(), "postdate-npx-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const checkout = join(place, "checkout");
  mkdirSync(checkout);
  for (const name of ["package.json", ...taken]) cpSync(join(root, name), join(checkout, name));
  const { url, asked } = await strangersRegistry();
  // Neither what the npm that runs this test was told, nor what this machine's npm is.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const env = {
    ...Object.fromEntries(own),
    npm_config_registry: url,
    npm_config_cache: join(place, "cache"),
    npm_config_userconfig: join(place, "no-user-npmrc"),
    npm_config_globalconfig: join(place, "no-global-npmrc"),
    npm_config_update_notifier: "false",
    npm_config_fetch_retries: "0",
  };
  const failure = await new Promise<Error | null>((resolve) => {
    execFile("npx", ["postdate", "list", "dev"], { cwd: checkout, env }, resolve);
  });
  // The registry has no tarball to give, so it comes to nothing either way.
  const refused = "npx canceled due to missing packages";
  if (isInstalled) expect(String(failure)).not.toContain(refused);
  else expect(String(failure)).toContain(refused);
  expect(asked).toContain("/postdate");
});
