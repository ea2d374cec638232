import { sealedPlaces } from "../../../../domain/key-rotation.ts";
import type { SealedPlace } from "../../../../domain/key-rotation.ts";
import type { RotationStep, RotationStepMade } from "../../../store.ts";
import type { Context } from "../context.ts";
import { encryptionState } from "./encryption-keys.ts";
import { keyOf, sealedColumns } from "./sealed-columns.ts";

export function advanceRotation(context: Context) {
  const { db, audit } = context;
  const read = encryptionState(context);
  const keep = db.prepare(
    `INSERT INTO key_rotation (only_row, revision, rotation) VALUES (1, ?, ?)
     ON CONFLICT DO UPDATE SET revision = excluded.revision, rotation = excluded.rotation`,
  );
  const rewriteIn = Object.fromEntries(
    sealedPlaces.map((place) => [place, prepare(context, place)]),
  ) as Record<SealedPlace, ReturnType<typeof prepare>>;
  const retireOthers = db.prepare("DELETE FROM encryption_keys WHERE key_id <> ?");
  const keepCheck = db.prepare("UPDATE encryption_check SET sealed = ?");

  return ({ revision, rotation, rewrite, retire, note }: RotationStep): RotationStepMade => {
    const state = read();
    if (state.revision !== revision) return { kind: "changed" };
    if (retire !== null) {
      const others = state.nodes.filter(({ keyId }) => keyId !== rotation.keyId);
      if (others.length > 0) return { kind: "in-use", nodeIds: others.map(({ nodeId }) => nodeId) };
      retireOthers.run(rotation.keyId);
      keepCheck.run(retire.check);
    }
    let rewritten = 0;
    for (const { at, sealed, anew } of rewrite?.values ?? []) {
      rewritten += rewriteIn[rewrite!.place](at, sealed, anew);
    }
    const counted = { ...rotation, rewritten: rotation.rewritten + rewritten };
    keep.run(revision + 1, JSON.stringify(counted));
    if (note !== null) audit.write(note);
    return { kind: "advanced", rewritten };
  };
}

/** A sealed value is as good as random, so nothing else in the text can be the same. */
function prepare({ db }: Context, place: SealedPlace) {
  const sealedColumn = sealedColumns[place];
  const { table, keys, column } = sealedColumn;
  const update = db.prepare(
    `UPDATE ${table} SET ${column} = replace(${column}, ?1, ?2)
     WHERE ${keys.map((key, at) => `${key} = ?${at + 3}`).join(" AND ")} AND instr(${column}, ?1) > 0`,
  );
  return (at: string, sealed: string, anew: string): number =>
    Number(update.run(sealed, anew, ...keyOf(sealedColumn, at)).changes);
}
