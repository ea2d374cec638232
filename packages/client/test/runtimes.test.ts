import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { ModelService } from "./support/model-service.ts";
import { scriptedServers } from "./support/scripted-server.ts";

const serverWith = scriptedServers();
const root = join(import.meta.dirname, "..");

/** What the core consists of. The entries for webhooks and Node.js are apart. */
const core = globSync("src/**/*.ts", { cwd: root }).filter(
  (path) => !path.endsWith(".test.ts") && !/^src.(?:webhook|node)\b/.test(path),
);

test("the core imports nothing but itself, so it runs wherever there is fetch", () => {
  expect(core.length).toBeGreaterThan(25);
  for (const path of core) {
    const text = readFileSync(join(root, path), "utf8").replaceAll(/^ *\*.*$/gm, "");
    for (const [, specifier] of text.matchAll(/\bfrom "([^"]+)"|\bimport\(/g)) {
      expect(specifier, path).toMatch(/^\.{1,2}\//);
    }
    expect(text, path).not.toMatch(/\bBuffer\b|\brequire\(|\bnode:/);
  }
  expect(packageJson).not.toHaveProperty("dependencies");
});

test("a program ends when its calls have, although their deadlines are far away", async () => {
  const model = new ModelService(["overloaded", "lostAnswer"]);
  const server = await serverWith(model.script);
  const program = `
    import { Postdate } from ${JSON.stringify(join(root, "src/index.ts"))};
    const postdate = new Postdate({ timeoutMs: 2_000_000_000, retry: { initialMs: 1 } });
    const { signal } = new AbortController();
    const input = (payload) => ({ targetId: "t", in: 1, payload });
    const calls = ["a", "b", "c", "bad"].map((text) => postdate.messages.schedule(input(text), { signal }));
    await Promise.allSettled(calls);
    for await (const { message } of postdate.messages.scheduleMany([input("d")])) console.log(message.messageId);
    for await (const _ of postdate.messages.scheduleMany(function* () { for (;;) yield input("e"); }())) break;
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", program],
    { env: { ...process.env, POSTDATE_URL: server.url, POSTDATE_KEY: "pd_test" } },
  );
  expect(stdout).toBe("msg of d\n");
});
