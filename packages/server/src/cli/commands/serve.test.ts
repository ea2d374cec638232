import { describe, expect, test } from "vitest";
import type { Settings } from "../../config/settings.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { openTerminal, type Terminal } from "../testing/command-line.ts";
import { heldServer, type HeldServer } from "../testing/held-server.ts";

function serving(server: HeldServer, env: Record<string, string> = {}, isTTY = true) {
  const seen: Settings[] = [];
  const changes: Partial<Surroundings> = {
    env,
    startServer: async (settings) => {
      seen.push(settings);
      return server;
    },
  };
  return { ...openTerminal(changes, isTTY ? 100 : undefined), seen };
}

function refusing(reason: Error, isTTY = true): Terminal {
  const startServer = () => Promise.reject(reason);
  return openTerminal({ startServer }, isTTY ? 100 : undefined);
}

test("prints exactly the ready line on stdout, and stops gracefully at a signal", async () => {
  const server = heldServer({ url: "http://127.0.0.1:45123" });
  const env = { POSTDATE_RETENTION: "2d", POSTDATE_LOG_FORMAT: "pretty" };
  const terminal = serving(server, env, false);
  const exitCode = terminal.run("serve", "--port", "0", "--data-dir", "./x");
  await terminal.stdout.shows(/ready/);
  expect(terminal.seen[0]).toMatchObject({ port: 0, dataDir: "./x", retentionMs: 172_800_000 });
  expect(server.stops).toBe(0);
  terminal.signal("SIGTERM");
  await terminal.stderr.shows(/SIGTERM: stopping/);
  server.finishStop();
  expect(await exitCode).toBe(0);
  expect(server.stops).toBe(1);
  expect(terminal.stdout.text).toBe("Postdate is ready on http://127.0.0.1:45123\n");
  expect(terminal.exits).toEqual([]);
});

test("on a terminal, only what a person needs follows", async () => {
  const server = heldServer({ generatedRootKey: "pd_generated" });
  const terminal = openTerminal({ startServer: async () => server, env: { NO_COLOR: "1" } }, 100);
  const exitCode = terminal.run("serve", "--data-dir", "./x");
  const shown = await terminal.stdout.shows(/--wait/);
  expect(shown).toBe(`Postdate is ready on http://127.0.0.1:7070

  API      http://127.0.0.1:7070/v1
  Console  http://127.0.0.1:7070/console
  Docs     http://127.0.0.1:7070/docs
  Data     ./x

In another terminal:

  export POSTDATE_KEY=pd_…  # the key above
  npx postdate target add https://example.com/hooks --id billing
  npx postdate send billing "hello" --in 5s --wait

Ctrl-C stops it. --log-level debug shows all settings.
`);
  expect(terminal.stderr.text).toContain("pd_generated");
  server.finishStop();
  await exitCode;
});

test("a second signal ends it at once", async () => {
  const server = heldServer();
  const terminal = serving(server);
  const exitCode = terminal.run("serve");
  await terminal.stdout.shows(/ready/);
  terminal.signal("SIGINT");
  expect(terminal.exits).toEqual([]);
  terminal.signal("SIGTERM");
  expect(terminal.exits).toEqual([1]);
  server.finishStop();
  await exitCode;
});

test("a signal during the start stops the server as soon as there is one", async () => {
  const server = heldServer();
  const { promise: started, resolve: finishStart } = Promise.withResolvers<HeldServer>();
  const terminal = openTerminal({ startServer: () => started });
  const exitCode = terminal.run("serve");
  terminal.signal("SIGTERM");
  finishStart(server);
  server.finishStop();
  expect(await exitCode).toBe(0);
  expect(server.stops).toBe(1);
});

test("a generated root key is shown once, on stderr", async () => {
  const server = heldServer({ generatedRootKey: "pd_generated" });
  const terminal = serving(server);
  const exitCode = terminal.run("serve");
  await terminal.stdout.shows(/ready/);
  expect(terminal.stdout.text).not.toContain("pd_generated");
  expect(terminal.stderr.text.match(/pd_generated/g)).toHaveLength(1);
  expect(terminal.stderr.text).toContain("will not be shown again");
  server.finishStop();
  expect(await exitCode).toBe(0);
});

test("a root key in a file is not shown, only the path of the file", async () => {
  const server = heldServer({ generatedRootKey: "pd_generated" });
  const terminal = serving(server);
  const exitCode = terminal.run("serve", "--write-root-key", "/run/root-key");
  await terminal.stdout.shows(/ready/);
  expect(terminal.seen[0]).toMatchObject({ writeRootKey: "/run/root-key" });
  expect(terminal.stdout.text + terminal.stderr.text).not.toContain("pd_generated");
  expect(terminal.stderr.text).toContain("is in /run/root-key\n");
  server.finishStop();
  expect(await exitCode).toBe(0);
});

test("a server that fails while it runs ends the command with 1", async () => {
  const server = heldServer();
  const terminal = serving(server);
  const exitCode = terminal.run("serve");
  await terminal.stdout.shows(/ready/);
  server.fail(new Error("the store is gone"));
  expect(await exitCode).toBe(1);
  expect(terminal.stderr.text).toBe("The server failed: the store is gone\n");
});

test("all wrong settings are named at once, and no server starts", async () => {
  const terminal = serving(heldServer(), { POSTDATE_LOG_LEVEL: "loud", POSTDATE_PROT: "1" });
  expect(await terminal.run("serve", "--port", "99999", "--database-url", "mysql://x")).toBe(2);
  expect(terminal.seen).toEqual([]);
  expect(terminal.stdout.text).toBe("");
  for (const part of ["--port", "--database-url", "POSTDATE_LOG_LEVEL", "Warning: POSTDATE_PROT"]) {
    expect(terminal.stderr.text).toContain(part);
  }
});

test("an unknown option is reported together with other mistakes", async () => {
  const terminal = serving(heldServer());
  expect(await terminal.run("serve", "--nope", "--port", "99999")).toBe(2);
  expect(terminal.seen).toEqual([]);
  expect(terminal.stderr.text).toMatch(
    /^Cannot start:\n {2}there is no option --nope: --help lists all options\n {2}--port .*\n$/,
  );
});

test.each<[string, NodeJS.ErrnoException, RegExp]>([
  [
    "port in use",
    Object.assign(new Error("listen"), { code: "EADDRINUSE" }),
    /^Port 7070 on 127\.0\.0\.1 is in use\./,
  ],
  [
    "wrong host",
    Object.assign(new Error("listen"), { code: "EADDRNOTAVAIL" }),
    /not an address of this machine/,
  ],
  [
    "unwritable",
    new Error("EACCES: permission denied, mkdir './postdate-data'"),
    /^Cannot use the data directory \.\/postdate-data: permission denied/,
  ],
  [
    "a file where the folder should be",
    Object.assign(new Error("EEXIST: x"), { code: "EEXIST" }),
    /it is not a directory/,
  ],
  [
    "a database that does not exist",
    Object.assign(new Error('database "x" does not exist'), { code: "3D000" }),
    /^Cannot start: PostgreSQL says: database "x" does not exist\. Make it first/,
  ],
  [
    "any other error",
    new Error("The data folder is in use by another process."),
    /^Cannot start: The data folder is in use/,
  ],
])("a start that fails (%s) is one sentence and exit code 1", async (_name, error, sentence) => {
  const terminal = refusing(error);
  expect(await terminal.run("serve")).toBe(1);
  expect(terminal.stderr.text).toMatch(sentence);
  expect(terminal.stderr.text.trimEnd().split("\n")).toHaveLength(1);
  expect(terminal.stdout.text).toBe("");
});

describe("with a JSON log", () => {
  const identity = { node: "embedded", pid: 4321, version: "1.2.3" };
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  const linesOf = (text: string): unknown[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("the ready line, the root key, the stop and warnings are lines of JSON", async () => {
    const server = heldServer({ generatedRootKey: "pd_generated" });
    const terminal = serving(server, { POSTDATE_PROT: "1" }, false);
    const exitCode = terminal.run("serve", "--log-level", "silent");
    await terminal.stdout.shows(/ready/);
    terminal.signal("SIGTERM");
    server.finishStop();
    expect(await exitCode).toBe(0);
    expect(linesOf(terminal.stdout.text)).toEqual([
      {
        level: "info",
        time,
        ...identity,
        url: "http://127.0.0.1:7070",
        msg: "Postdate is ready on http://127.0.0.1:7070 with the embedded store",
      },
    ]);
    expect(linesOf(terminal.stderr.text)).toEqual([
      { level: "warn", time, ...identity, msg: expect.stringContaining("POSTDATE_PROT") },
      {
        level: "warn",
        time,
        ...identity,
        rootKey: "pd_generated",
        msg: expect.stringContaining("will not be shown again"),
      },
      { level: "info", time, ...identity, msg: expect.stringContaining("SIGTERM: stopping") },
    ]);
  });

  test.each([
    [
      "wrong settings",
      2,
      ["--port", "99999", "--retention", "soon"],
      [/^Cannot start: --port/, /^Cannot start: --retention/],
    ],
    [
      "unknown options",
      2,
      ["--nope", "5", "--prot=1", "--port", "99999", "much"],
      [
        /^Cannot start: there is no option --nope: --help lists/,
        /^Cannot start: there is no option --prot: did you mean --port\?$/,
        /^Cannot start: "much" is not expected here$/,
        /^Cannot start: --port/,
      ],
    ],
    ["an option without its value", 2, ["--port"], [/^option '--port <number>' argument missing$/]],
    ["a start that fails", 1, [], [/^Cannot start: The data folder is in use/]],
  ])("%s: a line of JSON for each", async (_what, code, args, sentences) => {
    const terminal = refusing(new Error("The data folder is in use."), false);
    expect(await terminal.run("serve", ...args)).toBe(code);
    expect(linesOf(terminal.stderr.text)).toEqual(
      sentences.map((sentence) => ({
        level: "fatal",
        time,
        ...identity,
        msg: expect.stringMatching(sentence),
      })),
    );
  });

  test("with --json, which serve does not have, the last line has the error", async () => {
    const terminal = refusing(new Error("It started."), false);
    expect(await terminal.run("serve", "--json")).toBe(2);
    const message = "there is no option --json: --help lists all options";
    expect(linesOf(terminal.stderr.text).at(-1)).toEqual({ errors: [{ code: "usage", message }] });
  });

  test("warnings of Node.js and uncaught errors are lines of JSON too", async () => {
    let report: (level: "warn" | "fatal", error: unknown) => void = () => {};
    let isGivenBack = false;
    const server = heldServer();
    const terminal = openTerminal({
      startServer: async () => server,
      onProcessTrouble(listener) {
        report = listener;
        return () => (isGivenBack = true);
      },
    });
    const exitCode = terminal.run("serve", "--log-format", "json");
    await terminal.stdout.shows(/ready/);
    report("warn", new Error("too many listeners"));
    report("fatal", new TypeError("a bug"));
    expect(linesOf(terminal.stderr.text)).toMatchObject([
      { ...identity, level: "warn", err: { message: "too many listeners" } },
      { ...identity, level: "fatal", err: { message: "a bug", stack: expect.any(String) } },
    ]);
    server.finishStop();
    expect(await exitCode).toBe(0);
    expect(isGivenBack).toBe(true);
  });
});
