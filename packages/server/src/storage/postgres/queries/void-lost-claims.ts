import type { Holder } from "../../store.ts";
import type { Context } from "../context.ts";
import { rowKeyOf } from "../message-rows.ts";

/**
 * Claims of this membership that this process does not know of: they were made, but their answer never came.
 * The statement behind one may even be executed long after it was given up, so it is looked for again
 * and again. Nobody has sent anything for them.
 *
 * This statement, too, may be executed long after it was given up. It must not touch what was claimed
 * since, which is why claims have generations.
 */
export function voidLostClaims({ connections, held, tests, gate }: Context) {
  return (holder: Holder): Promise<void> =>
    gate.closeFor(async () => {
      const ended = held.endGeneration(holder);
      if (ended === undefined) return;
      await connections.query({
        name: "void-lost-claims",
        text: `
          WITH lost AS MATERIALIZED (
            SELECT target_key, message_id FROM claims
            WHERE epoch = $1 AND round <= $3 AND message_id <> ALL($2::uuid[])
            FOR UPDATE SKIP LOCKED)
          DELETE FROM claims c USING lost l
          WHERE c.target_key = l.target_key AND c.message_id = l.message_id`,
        values: [holder.epoch, [...ended.known.map(rowKeyOf), ...tests.keys()], ended.generation],
      });
    });
}
