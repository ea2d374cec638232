import { nearNames } from "../../config/near-names.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import type { Connection } from "./connection.ts";
import { targetIds } from "./known-ids.ts";
import type { Service } from "./service.ts";

/**
 * Warns of targets that an event endpoint names and that do not exist. That is allowed, and often a slip. A key that
 * may not read targets cannot tell.
 */
export async function warnOfUnknownTargets(
  { service, note }: Pick<Connection, "service" | "note">,
  given: readonly string[] | null | undefined,
): Promise<void> {
  const unknown = await unknownOf(service, given ?? []);
  if (unknown.length === 0) return;
  const known = await targetIds(service);
  for (const targetId of unknown) {
    const near = nearNames(targetId, known);
    const hint = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
    note(`There is no target ${targetId}: its events come once it is made.${hint}`);
  }
}

/** None after a failure: what was asked for is done, whatever this finds. */
async function unknownOf(service: Service, given: readonly string[]): Promise<string[]> {
  const unknown: string[] = [];
  try {
    for (const targetId of given) {
      const target = await service.ask(({ targets }) => targets.get(targetId));
      if (target === null) unknown.push(targetId);
    }
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
  }
  return unknown;
}
