import type { MigrationEvent } from "../surroundings/data-migration.ts";
import type { Output, Surroundings } from "../surroundings/surroundings.ts";
import { wordsOf } from "./migration.ts";
import { counted, startProgress, type Progress } from "../terminal/progress.ts";

export interface MigrationScreen extends Output {
  readonly onEvent: (event: MigrationEvent) => void;
  /** Reports what the last step did. */
  finish(): void;
  /** Removes an unfinished bar. */
  clear(): void;
}

/**
 * Shows the progress of a migration on stderr. Other text that is written through it does not mix with
 * the bar.
 */
export function showMigration(surroundings: Surroundings): MigrationScreen {
  const { stderr } = surroundings;
  let bar: Progress | undefined;
  let total = 0;

  return {
    write(text) {
      bar?.clear();
      return stderr.write(text);
    },
    onEvent(event) {
      if (event.kind === "began") {
        total = event.rows;
        const { copied: done } = event;
        const there = `${counted(done)} of ${counted(total)} rows are there already`;
        if (done > 0) stderr.write(`Going on with an unfinished migration: ${there}.\n`);
        bar = startProgress(surroundings, { title: ["Copying", "Copied"], total, done });
      } else if (event.kind === "comparing") {
        bar?.finish();
        bar = startProgress(surroundings, { title: ["Comparing", "Compared"], total });
      } else {
        bar?.add(event.rows, wordsOf(event.what));
      }
    },
    finish: () => bar?.finish(),
    clear: () => bar?.clear(),
  };
}
