import { Command } from "commander";
import { hasColours, paintFor } from "./terminal/colours.ts";
import { addAccount } from "./commands/account-commands.ts";
import { addAudit } from "./commands/audit.ts";
import { addBackup, addRestore } from "./commands/backup-commands.ts";
import { addCancel } from "./commands/cancel.ts";
import { addClient } from "./commands/client-commands.ts";
import { addCompletion } from "./commands/completion.ts";
import { addDev } from "./commands/dev.ts";
import { addEvents } from "./commands/event-commands.ts";
import { addFind } from "./commands/find.ts";
import { addJobs } from "./commands/job-commands.ts";
import { addKey } from "./commands/key-commands.ts";
import { addDeadLetters, addList } from "./commands/list-commands.ts";
import { addAttempts, addGet, addPayload } from "./commands/message-commands.ts";
import { addLogin } from "./commands/login.ts";
import { addMigrate } from "./commands/migrate.ts";
import { addNodes } from "./commands/nodes.ts";
import { addOffer } from "./commands/offer.ts";
import { addLogout, addProfiles } from "./commands/profile-commands.ts";
import { addRedrive } from "./commands/redrive.ts";
import { addReschedule } from "./commands/reschedule.ts";
import { addSchedule } from "./commands/schedule-commands.ts";
import { addSchema } from "./commands/schema-commands.ts";
import { addSend } from "./commands/send.ts";
import { addServe } from "./commands/serve.ts";
import { addShift } from "./commands/shift.ts";
import { addEncryption } from "./commands/encryption-commands.ts";
import { addSigningKey } from "./commands/signing-key-commands.ts";
import {
  addActivity,
  addDeadLetterGroups,
  addForecast,
  addStats,
} from "./commands/stats-commands.ts";
import { addTail } from "./commands/tail.ts";
import { addTarget } from "./commands/target-commands.ts";
import { addUsage } from "./commands/usage.ts";
import { helpLayout, usualColumns } from "./help/help-layout.ts";
import { exampleList, helpText, terms } from "./help/help-text.ts";
import { suggestCommands } from "./help/unknown-words.ts";
import { columnsOf } from "./terminal/look.ts";
import { exitCodeMeanings } from "./failures/exit-codes.ts";
import type { Surroundings } from "./surroundings/surroundings.ts";

export interface ProgramOptions {
  /** Usage errors are only thrown, not also written to stderr. */
  readonly quietUsage?: boolean;
}

/**
 * The whole command line. Parsing throws `CommanderError` for wrong usage and `CommandFailed` for the
 * rest.
 */
export function createProgram(
  surroundings: Surroundings,
  { quietUsage = false }: ProgramOptions = {},
): Command {
  const { stdout, stderr, env, version } = surroundings;
  const paint = paintFor(stdout, env);
  const program = new Command("postdate")
    .description("Postdate delivers messages at the instant you ask for.")
    .version(version, "-V, --version", "print the version")
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError("(--help shows how)")
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void (quietUsage || stderr.write(text)),
      getOutHelpWidth: () => columnsOf(stdout) ?? usualColumns,
      getErrHelpWidth: () => columnsOf(stderr) ?? usualColumns,
      getOutHasColors: () => hasColours(stdout, env),
      getErrHasColors: () => false,
    })
    .configureHelp({ ...helpLayout, styleTitle: (title) => paint("bold", title) })
    .addHelpText("after", closing);

  program.commandsGroup("Run the service:");
  addServe(program, surroundings);
  addDev(program, surroundings);
  addBackup(program, surroundings);
  addRestore(program, surroundings);
  addMigrate(program, surroundings);
  addSchema(program, surroundings);
  program.commandsGroup("Messages:");
  addSend(program, surroundings);
  addGet(program, surroundings);
  addPayload(program, surroundings);
  addAttempts(program, surroundings);
  addCancel(program, surroundings);
  addReschedule(program, surroundings);
  addList(program, surroundings);
  addDeadLetters(program, surroundings);
  addFind(program, surroundings);
  program.commandsGroup("Many messages at once:");
  addRedrive(program, surroundings);
  addShift(program, surroundings);
  addJobs(program, surroundings);
  program.commandsGroup("Messages that recur:");
  addSchedule(program, surroundings);
  program.commandsGroup("What happens:");
  addTail(program, surroundings);
  addEvents(program, surroundings);
  program.commandsGroup("Statistics:");
  addStats(program, surroundings);
  addForecast(program, surroundings);
  addActivity(program, surroundings);
  addDeadLetterGroups(program, surroundings);
  program.commandsGroup("Targets and access:");
  addTarget(program, surroundings);
  addKey(program, surroundings);
  addClient(program, surroundings);
  addUsage(program, surroundings);
  addAudit(program, surroundings);
  addNodes(program, surroundings);
  program.commandsGroup("This machine:");
  addLogin(program, surroundings);
  addLogout(program, surroundings);
  addProfiles(program, surroundings);
  addCompletion(program, surroundings);
  addOffer(program, surroundings);
  program.commandsGroup("Accounts, for the operator:");
  addAccount(program, surroundings);
  addSigningKey(program, surroundings);
  addEncryption(program, surroundings);
  suggestCommands(program);
  return program;
}

const closing = helpText(
  exampleList("Examples:", [
    ["postdate dev", "try it out: a service and a receiver"],
    ['postdate send dev "hello" --in 5s --wait', "a message, five seconds from now"],
    ["postdate help target", "more about a command"],
  ]),
  terms("Exit codes:", Object.entries(exitCodeMeanings)),
);
