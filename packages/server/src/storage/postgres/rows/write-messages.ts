import type { Run } from "../connections/connections.ts";
import { updateMessages } from "./message-rows.ts";
import { writeMovedRuns } from "./moved-runs.ts";
import { freeKeys, writeBounds } from "./option-rows.ts";
import type { ChangedMessage } from "./option-rows.ts";
import { tellChanges } from "./outbox-rows.ts";

/**
 * Writes changed messages back, and tells whoever subscribes to them. The messages are locked. One that is scheduled again
 * has taken its key before.
 */
export async function writeMessages(run: Run, changes: readonly ChangedMessage[]): Promise<void> {
  if (changes.length === 0) return;
  await run(updateMessages(changes.map(({ after }) => after)));
  await writeBounds(run, changes);
  await freeKeys(run, changes);
  await writeMovedRuns(run, changes);
  await tellChanges(run, changes);
}
