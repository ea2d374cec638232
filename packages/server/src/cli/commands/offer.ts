import { Argument, type Command } from "commander";
import { awaitedId, typedAccess } from "../completion/typed-words.ts";
import { chooseAccess } from "../connection/choose-access.ts";
import { accountKey } from "../connection/key-source.ts";
import { scheduleIds, targetIds } from "../connection/known-ids.ts";
import { openService } from "../connection/service.ts";
import { failureOf } from "../failures/present-failure.ts";
import { examples } from "../help/help-text.ts";
import { readProfiles } from "../profiles/profile-file.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** `targets`, `schedules`: only if an argument that comes next is one. `all-…`: for an option that names one. */
const kinds = ["profiles", "targets", "all-targets", "schedules", "all-schedules"] as const;
type Kind = (typeof kinds)[number];

/** A person has pressed the Tab key and sees nothing until this is over. */
const timeoutMs = 1_000;

/** What the scripts of `postdate completion` call for names that change. */
export function addOffer(program: Command, surroundings: Surroundings): void {
  program
    .command("offer", { hidden: true })
    .description("print names for the Tab key, one on each line; nothing if they cannot be had")
    .addArgument(new Argument("<kind>", "which names").choices(kinds))
    .argument("[words...]", "what is typed so far, without the last word")
    .addHelpText(
      "after",
      examples(
        ["postdate offer profiles", "the names that postdate login keeps"],
        ["postdate offer targets -- send --profile prod", "what may come next"],
      ),
    )
    .action(async (kind: Kind, typed: readonly string[]) => {
      const names = await namesOf(kind, typed, program, surroundings).catch(noneOnFailure);
      // A shell may evaluate what it offers, so only plain names reach it.
      const plain = names.filter((name) => /^[\w.-]+$/.test(name));
      surroundings.stdout.write(plain.map((name) => `${name}\n`).join(""));
    });
}

async function namesOf(
  kind: Kind,
  typed: readonly string[],
  program: Command,
  surroundings: Surroundings,
): Promise<readonly string[]> {
  if (kind === "profiles") return [...readProfiles(surroundings).keys()];
  if (!kind.startsWith("all-") && awaitedId(program, typed) !== kind) return [];
  const { fetch, version, timers } = surroundings;
  const access = chooseAccess(typedAccess(typed), surroundings, accountKey);
  const late = new AbortController();
  const timer = timers.after(timeoutMs, () => late.abort());
  const service = openService({ ...access, fetch, version, tries: 1 });
  const idsOf = kind.endsWith("schedules") ? scheduleIds : targetIds;
  return idsOf(service, late.signal).finally(() => timer.cancel());
}

function noneOnFailure(error: unknown): readonly string[] {
  if (failureOf(error) === undefined) throw error;
  return [];
}
