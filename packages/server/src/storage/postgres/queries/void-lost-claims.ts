import type { Holder } from "../../store.ts";
import type { WorkContext } from "./context.ts";
import { rowKeyOf } from "../rows/message-rows.ts";

/**
 * Frees claims of this membership that this process does not know: they were made, but their
 * answers were lost. No node has sent anything for them. The database may execute an abandoned
 * claim statement long afterwards, so this look is repeated.
 *
 * The database may execute this statement long afterwards too. It must not touch newer claims,
 * which is why claims have generations.
 */
export function voidLostClaims({ connections, held, tests, gate }: WorkContext) {
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
