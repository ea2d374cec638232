import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { examples } from "../help/help-text.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { askAboutTarget } from "../connection/look-up-target.ts";
import { attemptRows } from "../print/attempts.ts";
import { targetCard, targetRows, targetStatsRows } from "../print/targets.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { showPages, withPaging, type PagingOptions } from "../connection/show-pages.ts";
import { addTargetAdd } from "./target-add.ts";
import { addTargetRemove } from "./target-remove.ts";
import { addTargetRotateSecret } from "./target-rotate-secret.ts";
import { addTargetUpdate } from "./target-update.ts";

export function addTarget(program: Command, surroundings: Surroundings): void {
  const target = program
    .command("target")
    .description("the places that messages are delivered to")
    .addHelpText(
      "after",
      examples(
        ["postdate target add https://example.com/hooks --id billing", "make one"],
        ["postdate target test billing", "does it answer?"],
        ["postdate target update billing --rate 10/s", "change something of it"],
        ["postdate target pause billing", "hold its messages back for now"],
      ),
    );
  addTargetAdd(target, surroundings);
  addTargetList(target, surroundings);
  addTargetVerb(target, surroundings, "get", "show a target");
  addTargetStats(target, surroundings);
  addTargetUpdate(target, surroundings);
  addTargetVerb(target, surroundings, "pause", "hold back its messages until it is resumed");
  addTargetVerb(target, surroundings, "resume", "deliver its messages again");
  addTargetTest(target, surroundings);
  addTargetRotateSecret(target, surroundings);
  addTargetRemove(target, surroundings);
}

function addTargetList(target: Command, surroundings: Surroundings): void {
  const command = withPaging(apiCommand(target, "list"))
    .description("list the targets")
    .addHelpText("after", examples(["postdate target list --all", "every one"]))
    .action(async (options: PagingOptions) => {
      await showPages({
        connection: connect(command, surroundings),
        list: ({ targets }, paging) => targets.list(paging),
        options,
        stdout: surroundings.stdout,
        none: () => "No targets yet: postdate target add makes one.",
        rows: targetRows,
      });
    });
}

function addTargetStats(target: Command, surroundings: Surroundings): void {
  const command = withPaging(apiCommand(target, "stats [targetId]"))
    .description("what is in flight, waits, is dead and failed lately, of one target or of each")
    .addHelpText(
      "after",
      examples(
        ["postdate target stats billing", "is it at its limit, and how much waits?"],
        ["postdate target stats --all", "every target"],
      ),
    )
    .action(async (targetId: string | undefined, options: PagingOptions) => {
      const connection = connect(command, surroundings);
      if (targetId !== undefined) {
        const answer = await askAboutTarget(connection.service, targetId, ({ stats }) =>
          stats.targets({ targetId }).page(),
        );
        return connection.show(answer, ({ items }, look) => targetStatsRows(items, look));
      }
      return showPages({
        connection,
        list: ({ stats }, paging) => stats.targets(paging),
        options,
        stdout: surroundings.stdout,
        none: () => "No targets yet: postdate target add makes one.",
        rows: targetStatsRows,
      });
    });
}

type Verb = "get" | "pause" | "resume";

/** The commands that name a target and show it as it is afterwards. */
function addTargetVerb(
  target: Command,
  surroundings: Surroundings,
  verb: Verb,
  description: string,
): void {
  const command = apiCommand(target, `${verb} <targetId>`)
    .description(description)
    .addHelpText("after", examples([`postdate target ${verb} billing`, description]))
    .action(async (targetId: string) => {
      const { service, show } = connect(command, surroundings);
      const answer = await askAboutTarget(service, targetId, ({ targets }) =>
        targets[verb](targetId),
      );
      show(answer, targetCard);
    });
}

function addTargetTest(target: Command, surroundings: Surroundings): void {
  const command = apiCommand(target, "test <targetId> [payload]")
    .description("send a test message now and show how it went; fails unless it was delivered")
    .addHelpText(
      "after",
      examples(["postdate target test billing '{\"test\":true}'", "your words"]),
    )
    .action(async (targetId: string, payload: string | undefined) => {
      const { service, worded, show } = connect(command, surroundings);
      const test = payload === undefined ? {} : { payload };
      const answer = await askAboutTarget(service, targetId, ({ targets }) =>
        targets.test(targetId, test),
      );
      show(answer, ({ attempt }, look) => attemptRows([attempt], look));
      const failure = worded(answer, ({ attempt: { outcome, error } }) =>
        outcome === "DELIVERED" ? undefined : `Not delivered: ${error ?? outcome}`,
      );
      if (failure !== undefined) throw new CommandFailed(exitCodes.refused, failure);
    });
}
