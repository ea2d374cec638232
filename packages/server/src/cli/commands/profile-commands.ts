import type { Command } from "commander";
import { profileName } from "../connection/choose-access.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { profileRows } from "../print/profiles.ts";
import { readProfiles, writeProfiles } from "../profiles/profile-file.ts";
import { defaultProfile, keyKindsOf } from "../profiles/profile.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { paintFor } from "../terminal/colours.ts";
import { jsonText } from "../terminal/json-text.ts";
import { columnsOf } from "../terminal/look.ts";
import { examples } from "../help/help-text.ts";

export function addLogout(program: Command, surroundings: Surroundings): void {
  program
    .command("logout")
    .description("forget the address and the keys of a profile; the keys themselves stay valid")
    .option("--profile <name>", `which one (POSTDATE_PROFILE; default: ${defaultProfile})`)
    .option("--json", "print the name of the forgotten profile as JSON")
    .addHelpText(
      "after",
      examples(
        ["postdate logout", "forget the default profile"],
        ["postdate logout --profile prod", "forget another one"],
        ["postdate key revoke key_…", "first, to make the key invalid too"],
      ),
    )
    .action((options: { profile?: string; json?: boolean }) => {
      const name = profileName(options, surroundings) ?? defaultProfile;
      const profiles = new Map(readProfiles(surroundings));
      if (!profiles.delete(name)) {
        throw new CommandFailed(
          exitCodes.notFound,
          `There is no profile ${name}. postdate profiles lists those that there are.`,
        );
      }
      writeProfiles(profiles, surroundings);
      const { stdout, stderr } = surroundings;
      if (options.json === true) stdout.write(jsonText({ name }, 2));
      else stderr.write(`Forgot the profile ${name}. Its keys stay valid.\n`);
    });
}

export function addProfiles(program: Command, surroundings: Surroundings): void {
  program
    .command("profiles")
    .description("list the profiles that postdate login keeps, without their keys")
    .option("--json", "print them as JSON")
    .addHelpText("after", examples(["postdate profiles", "names, addresses and kinds of keys"]))
    .action((options: { json?: boolean }) => {
      const { stdout, stderr, env, clock } = surroundings;
      const current = profileName({}, surroundings) ?? defaultProfile;
      const items = [...readProfiles(surroundings)].map(([name, profile]) => ({
        name,
        url: profile.url,
        keys: keyKindsOf(profile),
        isCurrent: name === current,
      }));
      const look = { paint: paintFor(stdout, env), now: clock.now(), columns: columnsOf(stdout) };
      if (options.json === true) stdout.write(jsonText({ items }, 2));
      else if (items.length > 0) stdout.write(profileRows(items, look));
      else stderr.write("No profiles yet: postdate login makes one.\n");
    });
}
