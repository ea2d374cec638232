import type { Step } from "../../../../domain/schedules/steps.ts";
import type { Run } from "../../connections/connections.ts";
import { arrayLiteral } from "../../rows/array-literal.ts";
import type { DecidedStep } from "./take-steps.ts";

/** The steps with the payloads of their messages. Only schedules that make a message now have theirs read. */
export async function loadPayloads(
  run: Run,
  decided: readonly DecidedStep[],
): Promise<DecidedStep[]> {
  const making = decided.filter(({ step }) => step.messages.length > 0);
  if (making.length === 0) return [...decided];
  const rows = await run({
    name: "load-payloads",
    text: `SELECT d.schedule_key, d.payload FROM unnest($1::bigint[]) AS u(schedule_key)
      JOIN schedules d ON d.schedule_key = u.schedule_key`,
    values: [arrayLiteral(making.map(({ key }) => key))],
  });
  const payloadOf = new Map(
    rows.map((row) => [row["schedule_key"] as number, (row["payload"] as Buffer).toString("utf8")]),
  );
  return decided.map((each) => {
    const payload = payloadOf.get(each.key);
    return payload === undefined ? each : { ...each, step: withPayload(each.step, payload) };
  });
}

function withPayload(step: Step, payload: string): Step {
  return { ...step, messages: step.messages.map((message) => ({ ...message, payload })) };
}
