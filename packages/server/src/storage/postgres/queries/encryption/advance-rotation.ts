import type { RotationStep, RotationStepMade } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { writeNotes } from "../audit-entries.ts";
import type { WorkContext } from "../context.ts";
import { lockEncryptionKeys, readEncryptionState } from "./encryption-keys.ts";
import { keyOf, sealedColumns } from "./sealed-columns.ts";

export function advanceRotation({ connections }: WorkContext) {
  return ({ revision, rotation, rewrite, retire, note }: RotationStep): Promise<RotationStepMade> =>
    connections.transaction(async (run): Promise<RotationStepMade> => {
      if (retire !== null) await lockEncryptionKeys(run);
      const held = await holdRevision(run, revision);
      if (!held) return { kind: "changed" };
      if (retire !== null) {
        const { nodes } = await readEncryptionState(run);
        const others = nodes.filter(({ keyId }) => keyId !== rotation.keyId);
        if (others.length > 0)
          return { kind: "in-use", nodeIds: others.map(({ nodeId }) => nodeId) };
        await run({
          name: "retire-encryption-keys",
          text: "DELETE FROM encryption_keys WHERE key_id <> $1",
          values: [rotation.keyId],
        });
        await run({
          name: "renew-encryption-check",
          text: "UPDATE encryption_check SET sealed = $1",
          values: [retire.check],
        });
      }
      const rewritten = rewrite === null ? 0 : await sealAnew(run, rewrite);
      await run({
        name: "keep-key-rotation",
        text: "UPDATE key_rotation SET revision = $1, rotation = $2",
        values: [
          revision + 1,
          JSON.stringify({ ...rotation, rewritten: rotation.rewritten + rewritten }),
        ],
      });
      if (note !== null) await writeNotes(run, [note]);
      return { kind: "advanced", rewritten };
    });
}

/** Whether the exchange is at this revision, and stays there until this transaction ends. */
async function holdRevision(run: Run, revision: number): Promise<boolean> {
  if (revision === 0) {
    const added = await run({
      name: "add-key-rotation",
      text: `INSERT INTO key_rotation (only_row, revision, rotation) VALUES (1, 0, '{}')
        ON CONFLICT DO NOTHING RETURNING revision`,
    });
    return added.length > 0;
  }
  const found = await run({
    name: "hold-key-rotation",
    text: "SELECT revision FROM key_rotation WHERE revision = $1 FOR UPDATE",
    values: [revision],
  });
  return found.length > 0;
}

/**
 * A row that another transaction holds is skipped: nobody waits for this, and the next pass meets it again. A sealed
 * value is as good as random, so nothing else in the text can be the same.
 */
async function sealAnew(
  run: Run,
  { place, values }: NonNullable<RotationStep["rewrite"]>,
): Promise<number> {
  const sealedColumn = sealedColumns[place];
  const { table, keys, column } = sealedColumn;
  const names = Object.keys(keys);
  const types = Object.values(keys);
  const given = types.map((type, at) => `$${at + 3}::text[]::${type}[]`).join(", ");
  const same = names.map((name) => `r.${name} = u.${name}`).join(" AND ");
  const rowKeys = values.map(({ at }) => keyOf(sealedColumn, at));
  const updated = await run({
    name: `seal-anew-${place}`,
    text: `WITH given AS MATERIALIZED (
        SELECT * FROM unnest($1::text[], $2::text[], ${given}) AS u(sealed, anew, ${names.join(", ")})
      ), held AS MATERIALIZED (
        SELECT ${names.map((name) => `r.${name}`).join(", ")}, u.sealed, u.anew
        FROM given u JOIN ${table} r ON ${same} WHERE strpos(r.${column}, u.sealed) > 0
        FOR UPDATE OF r SKIP LOCKED)
      UPDATE ${table} r SET ${column} = replace(r.${column}, u.sealed, u.anew)
      FROM held u WHERE ${same} RETURNING 1`,
    values: [
      values.map(({ sealed }) => sealed),
      values.map(({ anew }) => anew),
      ...names.map((_, at) => rowKeys.map((key) => key[at]!)),
    ],
  });
  return updated.length;
}
