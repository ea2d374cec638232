import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { answeringService, type Answer, type Asked } from "../testing/answering-service.ts";
import { openTerminal, standardInput, type Terminal } from "../testing/command-line.ts";
import { messageId, wireMessage } from "../testing/samples.ts";
import { typing } from "../testing/typing.ts";

const key = "pd_secret0123456789";
const operatorKey = "pdo_secret0123456789";
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postdate-profiles-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, "postdate", "profiles.json");
});

/** It answers every call with a message that is also an empty page. */
const anyAnswer = (): Answer => ({ json: { ...wireMessage(), items: [], nextPageToken: null } });

async function service(answer: (asked: Asked) => Answer = anyAnswer) {
  const running = await answeringService(answer);
  onTestFinished(() => running.close());
  return running;
}

function terminal(changes: Partial<Surroundings> = {}): Terminal {
  const env = { XDG_CONFIG_HOME: folder, ...changes.env };
  return openTerminal({ ...changes, env });
}

function kept(): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

function keep(profiles: Record<string, unknown>): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify({ profiles }), { mode: 0o600 });
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

describe("login", () => {
  test("asks for the address and the key, shows no key, tries it, and keeps it for its owner alone", async () => {
    const { url, asked } = await service();
    const stdin = typing(`${url}/\n`, `${key.slice(0, 5)}x\u007f`, `${key.slice(5)}\r`);
    const screen = terminal({ stdin });
    expect(await screen.run("login")).toBe(0);
    expect(asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/v1/usage", `Bearer ${key}`],
    ]);
    expect(stdin.shown).toEqual([true, false, false]);
    expect(kept()).toEqual({ profiles: { default: { url, key } } });
    expect([modeOf(file), modeOf(dirname(file))]).toEqual([0o600, 0o700]);
    expect(screen.stderr.text).toContain(`Logged in to ${url}.`);
    expect(screen.stderr.text + screen.stdout.text).not.toContain("secret");
  });

  test("takes the key from stdin or a file, and the address it had", async () => {
    const { url } = await service();
    const first = terminal({ stdin: standardInput(`${key}\n`) });
    expect(await first.run("login", "--profile", "prod", "--url", url)).toBe(0);
    const keyFile = join(folder, "key");
    writeFileSync(keyFile, "pd_another");
    expect(await terminal().run("login", "--profile", "prod", "--key-file", keyFile)).toBe(0);
    expect(kept()).toEqual({ profiles: { prod: { url, key: "pd_another" } } });
    const piped = terminal({ stdin: standardInput(operatorKey) });
    expect(await piped.run("login", "--profile", "prod", "--key-file", "-")).toBe(0);
    expect(kept()).toEqual({ profiles: { prod: { url, key: "pd_another", operatorKey } } });
  });

  test("at another address, the keys of the one before are forgotten", async () => {
    keep({ default: { url: "https://before.example.com", key: "pd_before" } });
    const { url, asked } = await service();
    const screen = terminal({ stdin: standardInput(operatorKey) });
    expect(await screen.run("login", "--url", url)).toBe(0);
    expect(asked[0]!.path).toBe("/v1/accounts?limit=1");
    expect(kept()).toEqual({ profiles: { default: { url, operatorKey } } });
  });

  test("keeps a key that may do little", async () => {
    const errors = [{ code: "E-DI-2002", message: "Not allowed" }];
    const { url } = await service(() => ({ status: 403, json: { errors } }));
    expect(await terminal({ stdin: standardInput(key) }).run("login", "--url", url)).toBe(0);
    expect(kept()).toEqual({ profiles: { default: { url, key } } });
  });

  test.each([
    ["a key that the service refuses", 401, key, 1, /E-DI-2001: Unknown\nNothing was kept\.\n$/],
    ["something that is no key", 200, "two words", 2, /^The key holds spaces/],
    ["no key", 200, "\n", 2, /^The key is empty/],
    ["far too much", 200, "x".repeat(20_000), 2, /^Stdin holds more than a key/],
  ])("does not keep %s", async (_what, status, input, exitCode, message) => {
    const errors = [{ code: "E-DI-2001", message: "Unknown" }];
    const { url } = await service(() => ({ status, json: { errors } }));
    const screen = terminal({ stdin: standardInput(input) });
    expect(await screen.run("login", "--url", url)).toBe(exitCode);
    expect(screen.stderr.text).toMatch(message);
    expect(existsSync(file)).toBe(false);
  });

  test("warns before it sends a key over http, unless to this machine", async () => {
    const fetch = (): Promise<Response> => Promise.reject(new Error("not called"));
    const warned = async (url: string): Promise<boolean> => {
      const screen = terminal({ stdin: typing(`${url}\n`, "\u0003"), fetch });
      expect(await screen.run("login")).toBe(1);
      return /Warning: with http:[^]*Key \(not shown\)/.test(screen.stderr.text);
    };
    expect(await warned("http://postdate.example.com")).toBe(true);
    expect(await warned("https://postdate.example.com")).toBe(false);
    expect(await warned("http://127.0.0.1:7070")).toBe(false);
    expect(await warned("http://[::1]:7070")).toBe(false);
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s stops it", async (_name, typed) => {
    const screen = terminal({ stdin: typing("\n", typed) });
    expect(await screen.run("login")).toBe(1);
    expect(screen.stderr.text).toContain("Stopped: nothing was changed.");
    expect(existsSync(file)).toBe(false);
  });

  test("refuses what cannot be: a file that is not there, a bad name, a bad address", async () => {
    const screen = terminal();
    expect(await screen.run("login", "--key-file", join(folder, "none"))).toBe(2);
    expect(await screen.run("login", "--profile", "a/b")).toBe(2);
    expect(await screen.run("login", "--url", "localhost:7070")).toBe(2);
    expect(screen.stderr.text).toMatch(
      /there is no such file\.\n--profile must be 1 to 64 .*\nThe address must be an http/,
    );
  });
});

describe("a profile", () => {
  const message = (screen: Terminal, ...argv: readonly string[]): Promise<number> =>
    screen.run("get", messageId, ...argv);

  test("is used by --profile, POSTDATE_PROFILE or the name default, after flags and the environment", async () => {
    const one = await service();
    const two = await service();
    keep({ default: { url: one.url, key: "pd_one" }, two: { url: two.url, key: "pd_two" } });
    const seen = ({ asked }: { asked: Asked[] }): unknown[] =>
      asked.splice(0).map(({ headers }) => headers.authorization);

    expect(await message(terminal())).toBe(0);
    expect(await message(terminal(), "--profile", "two")).toBe(0);
    expect(await message(terminal({ env: { POSTDATE_PROFILE: "two" } }))).toBe(0);
    expect(await message(terminal(), "--profile", "two", "--key", "pd_flag")).toBe(0);
    expect(seen(one)).toEqual(["Bearer pd_one"]);
    expect(seen(two)).toEqual(["Bearer pd_two", "Bearer pd_two", "Bearer pd_flag"]);

    const env = { POSTDATE_URL: one.url, POSTDATE_KEY: "pd_env" };
    expect(await message(terminal({ env: { ...env, POSTDATE_PROFILE: "two" } }))).toBe(0);
    expect(seen(one)).toEqual(["Bearer pd_env"]);
    expect(await message(terminal({ env }), "--profile", "two")).toBe(0);
    expect(seen(two)).toEqual(["Bearer pd_two"]);
  });

  test("does not send its key to another address, nor a key of the environment to its own", async () => {
    const { url, asked } = await service();
    keep({ default: { url: "https://prod.example.com", key } });
    const screen = terminal();
    expect(await message(screen, "--url", url)).toBe(2);
    expect(await message(terminal({ env: { POSTDATE_URL: url } }))).toBe(2);
    expect(screen.stderr.text).toBe(
      `The key of the profile default is for https://prod.example.com and is not sent to ${url}.\n` +
        "Set POSTDATE_KEY or give --key for that address, or leave --url out.\n",
    );
    expect(asked).toEqual([]);
    const called: string[] = [];
    // Whatever listens at the default address of this machine is not called.
    const fetch = (to: Parameters<typeof globalThis.fetch>[0]): Promise<Response> => {
      called.push(new Request(to).url);
      return Promise.reject(new Error("not called"));
    };
    await message(terminal({ env: { POSTDATE_KEY: "pd_env" }, fetch }));
    expect([...new Set(called)]).toEqual([`http://127.0.0.1:7070/v1/messages/${messageId}`]);
    keep({ default: { url, key } });
    expect(await message(terminal(), "--url", `${url}/`)).toBe(0);
  });

  test("that is missing, incomplete or refused says how to mend it", async () => {
    const errors = [{ code: "E-DI-2001", message: "Unknown" }];
    const { url } = await service(() => ({ status: 401, json: { errors } }));
    keep({ default: { url, key } });
    const screen = terminal();
    expect(await message(screen, "--profile", "prod")).toBe(2);
    expect(await screen.run("account", "list")).toBe(2);
    expect(await message(screen)).toBe(1);
    expect(screen.stderr.text.split("\n")).toEqual([
      "There is no profile prod. There is default. postdate login --profile prod makes it.",
      "The profile default has no operator's key: postdate login --profile default asks for it.",
      "E-DI-2001: Unknown",
      "Check the key of the profile default: postdate login --profile default replaces it.",
      "",
    ]);
  });

  test.each(["644", "640", "660", "604"])("in a file with mode %s is refused", async (octal) => {
    const mode = Number.parseInt(octal, 8);
    keep({ default: { url: "http://127.0.0.1:1", key } });
    chmodSync(file, mode);
    const screen = terminal();
    expect(await message(screen)).toBe(2);
    expect(screen.stderr.text).toMatch(/which holds a secret\. .* chmod 600 .*profiles\.json\n$/);
    expect(await screen.run("login")).toBe(2);
    expect(modeOf(file)).toBe(mode);
  });

  test.each(["", "{", "[]", '{"profiles":[]}', '{"profiles":{"a":{"key":"pd_secret"}}}'])(
    "in a file that holds %j is refused, and the error shows nothing of it",
    async (text) => {
      keep({});
      writeFileSync(file, text);
      const screen = terminal();
      expect(await message(screen)).toBe(2);
      expect(screen.stderr.text).toMatch(/does not hold profiles\. Correct it, or remove it/);
      expect(screen.stderr.text).not.toContain("secret");
    },
  );
});

test("with --json, login and logout print what they did, without keys", async () => {
  const { url } = await service();
  const screen = terminal({ stdin: standardInput(key) });
  expect(await screen.run("login", "--url", url, "--json")).toBe(0);
  expect(JSON.parse(screen.stdout.text)).toEqual({ name: "default", url, keys: ["account"] });
  const again = terminal();
  expect(await again.run("logout", "--json")).toBe(0);
  expect(JSON.parse(again.stdout.text)).toEqual({ name: "default" });
  expect(screen.stderr.text + again.stderr.text).toBe("");
});

test("profiles lists them without keys, and logout forgets one", async () => {
  const screen = terminal();
  expect(await screen.run("profiles")).toBe(0);
  expect(screen.stderr.text).toBe("No profiles yet: postdate login makes one.\n");
  keep({
    default: { url: "http://127.0.0.1:7070", key },
    prod: { url: "https://postdate.example.com", key, operatorKey },
  });
  expect(await screen.run("profiles")).toBe(0);
  expect(await screen.run("profiles", "--json")).toBe(0);
  expect(screen.stdout.text).toMatch(/^default +current +account +http:\/\/127\.0\.0\.1:7070$/m);
  expect(screen.stdout.text).toMatch(/^prod +- +account, operator +https:/m);
  expect(screen.stdout.text).toContain('"isCurrent": true');
  expect(screen.stdout.text).not.toContain("secret");

  expect(await screen.run("logout")).toBe(0);
  expect(kept()).toEqual({
    profiles: { prod: { url: "https://postdate.example.com", key, operatorKey } },
  });
  expect(await screen.run("logout")).toBe(4);
  expect(screen.stderr.text).toContain("There is no profile default.");
  expect(await screen.run("logout", "--profile", "prod")).toBe(0);
  expect(kept()).toEqual({ profiles: {} });
});
