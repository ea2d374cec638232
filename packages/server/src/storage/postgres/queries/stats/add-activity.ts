import { activitySpans } from "../../../../domain/activity.ts";
import type { ActivityAddition } from "../../../../domain/activity.ts";
import { arrayLiteral } from "../../rows/array-literal.ts";
import { arraysOf, namesOf, unnest } from "../../rows/given-columns.ts";
import type { GivenColumns } from "../../rows/given-columns.ts";
import type { WorkContext } from "../context.ts";

/** In place of a target: all targets of the account together. */
export const allTargets = 0;

const columns: GivenColumns<ActivityAddition> = {
  account_id: { type: "text", of: ({ accountId }) => accountId },
  target_key: { type: "int", of: ({ targetKey }) => targetKey ?? allTargets },
  span: { type: "smallint", of: ({ span }) => activitySpans.indexOf(span) },
  time: { type: "bigint", of: ({ time }) => time },
  counts: { type: "text", of: ({ counts }) => arrayLiteral(counts) },
};

export function addActivity({ connections }: WorkContext) {
  return async (additions: readonly ActivityAddition[]): Promise<void> => {
    await connections.query({
      name: "add-activity",
      text: `
        INSERT INTO activity AS a (${namesOf(columns)})
        SELECT account_id, target_key, span, time, counts::integer[] FROM ${unnest(columns)}
        ON CONFLICT (account_id, target_key, span, time)
        DO UPDATE SET counts = add_counts(a.counts, excluded.counts)`,
      // Nodes lock rows in one order, so that none waits for another in a circle.
      values: arraysOf(columns, additions.toSorted(byRow)),
    });
  };
}

function byRow(one: ActivityAddition, other: ActivityAddition): number {
  if (one.accountId !== other.accountId) return one.accountId < other.accountId ? -1 : 1;
  return (
    (one.targetKey ?? allTargets) - (other.targetKey ?? allTargets) ||
    activitySpans.indexOf(one.span) - activitySpans.indexOf(other.span) ||
    one.time - other.time
  );
}
