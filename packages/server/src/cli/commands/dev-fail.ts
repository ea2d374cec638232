import type { Command } from "commander";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import { mostFailures } from "../dev/failure-plan.ts";
import { defaultReceiverPort } from "../dev/receiver.ts";
import { examples } from "../help/help-text.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { unreachable } from "../failures/unreachable.ts";
import { withoutControls } from "../terminal/aligned.ts";
import { jsonText } from "../terminal/json-text.ts";
import { readOption } from "../input/read-option.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface FailOptions {
  readonly status: string;
  readonly receiverPort: string;
  readonly json?: boolean;
}

export function addDevFail(dev: Command, { fetch, stdout }: Surroundings): void {
  dev
    .command("fail <count>")
    .description("tell the receiver of a running `postdate dev` to fail the next deliveries")
    .option("--status <number>", "the status that it answers", "503")
    .option("--receiver-port <number>", "the port that it listens on", String(defaultReceiverPort))
    .option("--json", "print what the receiver does from now on as JSON")
    .addHelpText(
      "after",
      examples(
        ["postdate dev fail 3", "three retries to watch"],
        ["postdate dev fail 1 --status 410", "gone: a dead letter at once"],
        ["postdate dev fail 0", "all is well again"],
      ),
    )
    .action(async (count: string, { status, receiverPort, json }: FailOptions) => {
      readOption("<count>", count, wholeNumber(0, mostFailures).read);
      readOption("--status", status, wholeNumber(300, 599).read);
      readOption("--receiver-port", receiverPort, wholeNumber(1, 65_535).read);
      const receiver = `http://127.0.0.1:${receiverPort}`;
      const query = new URLSearchParams({ count, status });
      const asked = fetch(`${receiver}/fail?${query.toString()}`, { method: "POST" });
      const { ok, text } = await asked
        .then(async (answer) => ({ ok: answer.ok, text: await answer.text() }))
        .catch((error: unknown) => {
          throw unreachable(receiver, error, "postdate dev");
        });
      if (!ok) throw new CommandFailed(exitCodes.refused, text.trimEnd());
      const plan = { failures: Number(count), status: Number(status) };
      stdout.write(json === true ? jsonText(plan, 2) : withoutControls(text));
    });
}
