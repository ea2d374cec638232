import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { fileTrouble } from "../../config/file-trouble.ts";
import { codes } from "../../domain/refusals.ts";
import {
  checkKey,
  checkUrl,
  defaultUrl,
  isSameAddress,
  profileName,
} from "../connection/choose-access.ts";
import { openService } from "../connection/service.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { openPrompt } from "../input/prompt.ts";
import { readOption } from "../input/read-option.ts";
import { profileFile, readProfiles, writeProfiles } from "../profiles/profile-file.ts";
import { defaultProfile, keyKindsOf, type Profile } from "../profiles/profile.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { jsonText } from "../terminal/json-text.ts";
import { explained } from "../help/help-text.ts";

interface LoginOptions {
  readonly profile?: string;
  readonly url?: string;
  readonly keyFile?: string;
  readonly json?: boolean;
}

export function addLogin(program: Command, surroundings: Surroundings): void {
  program
    .command("login")
    .description("keep the address of a service and a key to it, so that commands need neither")
    .option(
      "--profile <name>",
      `the name to keep them under (POSTDATE_PROFILE; default: ${defaultProfile})`,
    )
    .option("--url <url>", "the service; without it, a terminal is asked")
    .option("--key-file <path>", "read the key from a file, - for stdin; a terminal is asked")
    .option("--json", "print what was kept as JSON, without the key")
    .addHelpText(
      "after",
      explained(
        "The key is tried, and kept in a file that only you can read. A profile can have an account's key and the operator's: log in with each. Commands prefer flags and variables to a profile, unless --profile names it.",
        ["postdate login", "asks for the address and the key"],
        ["postdate login --profile prod --url https://postdate.example.com", "asks for the key"],
        ["postdate list billing --profile prod", "uses them"],
        ["postdate login --url http://127.0.0.1:7070 < key.txt", "in a script"],
      ),
    )
    .action(async (options: LoginOptions) => {
      const name = profileName(options, surroundings) ?? defaultProfile;
      const profiles = readProfiles(surroundings);
      const before = profiles.get(name);
      const { url, key } = await askFor(options, before, surroundings);
      await tryKey(url, key, surroundings);

      const kept = key.startsWith("pdo_") ? { operatorKey: key } : { key };
      const others = before !== undefined && isSameAddress(before.url, url) ? before : {};
      const profile: Profile = { ...others, url, ...kept };
      writeProfiles(new Map([...profiles, [name, profile]]), surroundings);
      const { stdout, stderr } = surroundings;
      const where = `as profile ${name} in ${profileFile(surroundings)}`;
      const keys = keyKindsOf(profile);
      if (options.json === true) stdout.write(jsonText({ name, url, keys }, 2));
      else stderr.write(`Logged in to ${url}. The key is kept ${where}.\n`);
    });
}

async function askFor(
  { url: givenUrl, keyFile }: LoginOptions,
  before: Profile | undefined,
  { stdin, stderr, env }: Surroundings,
): Promise<{ url: string; key: string }> {
  const isTerminal = stdin.isTTY === true;
  const prompt = openPrompt(stdin, stderr);
  try {
    const suggestion = env["POSTDATE_URL"] || (before?.url ?? defaultUrl);
    const asked = async (): Promise<string> =>
      isTerminal ? await prompt.ask("Address of the service", suggestion) : suggestion;
    const url = readOption("The address", givenUrl ?? (await asked()), checkUrl);
    if (isExposed(url)) {
      stderr.write("Warning: with http:// everybody on the way can read the key. Use https://.\n");
    }
    const key =
      keyFile === undefined || keyFile === "-"
        ? await (isTerminal ? prompt.askSecretly("Key") : prompt.readAll())
        : readKeyFile(keyFile);
    return {
      url: new URL(url).href.replace(/\/+$/, ""),
      key: readOption("The key", key.trim(), checkKey),
    };
  } finally {
    await prompt.close();
  }
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CommandFailed(
      exitCodes.usage,
      `Cannot read --key-file ${path}: ${fileTrouble(error)}.`,
    );
  }
}

/** Any answer but "who are you?" shows that the service knows the key. */
async function tryKey(url: string, key: string, { fetch, version }: Surroundings): Promise<void> {
  const service = openService({ url, key, advice: "Nothing was kept.", fetch, version });
  try {
    await service.ask<unknown>((postdate) =>
      key.startsWith("pdo_") ? postdate.accounts.list({ limit: 1 }).page() : postdate.usage(),
    );
  } catch (error) {
    const isKnown =
      error instanceof CommandFailed &&
      error.problems.some(({ code }) => code === codes.insufficientScope);
    if (!isKnown) throw error;
  }
}

function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
