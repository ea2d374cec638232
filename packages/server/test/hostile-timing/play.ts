import { randomBytes } from "node:crypto";
import { describeTold } from "../history/events/count-told.ts";
import { expectKept } from "../history/expect-kept.ts";
import { hostileRun } from "./hostile-run.ts";
import { describePlan, flavours } from "./plan.ts";
import type { PlanOptions } from "./plan.ts";

export const freshSeed = (): string => randomBytes(4).toString("hex");

/** The command that repeats the run. */
function commandFor({ seed, flavours: chosen, nodes, forMs }: PlanOptions): string {
  const flavour = chosen.length === flavours.length ? "" : ` --flavours ${chosen.join(",")}`;
  return `npm run hostile -- --seed ${seed}${flavour} --nodes ${nodes} --seconds ${forMs / 1_000}`;
}

/** Plays one run. Throws if a promise was broken, or if too little of the plan happened. */
export async function expectPlayed(databaseUrl: string, options: PlanOptions): Promise<string> {
  const { history, plan, unmet } = await hostileRun(databaseUrl, options);
  const command = commandFor(options);
  const met = `${plan.length - unmet.length} of ${plan.length} planned interventions`;
  try {
    const { duplicates } = expectKept(history);
    if (unmet.length > plan.length / 2) throw new Error(`The run proves nothing: only ${met}.`);
    const { asked, receipts, events } = history;
    return `clean: ${command}\n${met}, ${asked.length} calls, ${receipts.length} attempts, ${duplicates} duplicates, ${describeTold(events!)}`;
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`${message}\n\n${met}:\n${describePlan(plan)}\n\nAgain: ${command}`, {
      cause: error,
    });
  }
}
