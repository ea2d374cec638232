import type { EncryptionStore, StatsStore } from "../../store.ts";
import { readSealed } from "../queries/encryption/read-sealed.ts";
import { countMessages } from "../queries/stats/count-messages.ts";
import { countOverdue } from "../queries/stats/count-overdue.ts";
import { groupDeadLetters } from "../queries/stats/group-dead-letters.ts";
import { lookAtTargets } from "../queries/stats/look-at-targets.ts";
import { readActivity } from "../queries/stats/read-activity.ts";
import type { ReadingContext } from "../queries/stats/reading-context.ts";
import { walkSchedules } from "../queries/stats/walk-schedules.ts";

/** Verbs that may look at many messages or schedules, and so do not run on the thread that claims and records. */
export const readingVerbNames = [
  "readActivity",
  "countMessages",
  "countOverdue",
  "groupDeadLetters",
  "walkSchedules",
  "lookAtTargets",
  "readSealed",
] as const;

export type ReadingVerbName = (typeof readingVerbNames)[number];

export type ReadingStore = Pick<StatsStore & EncryptionStore, ReadingVerbName>;

export type ReadingVerbs = {
  readonly [Name in ReadingVerbName]: (
    ...args: Parameters<ReadingStore[Name]>
  ) => Awaited<ReturnType<ReadingStore[Name]>>;
};

export function prepareReadingVerbs(context: ReadingContext): ReadingVerbs {
  return {
    readActivity: readActivity(context),
    countMessages: countMessages(context),
    countOverdue: countOverdue(context),
    groupDeadLetters: groupDeadLetters(context),
    walkSchedules: walkSchedules(context),
    lookAtTargets: lookAtTargets(context),
    readSealed: readSealed(context),
  };
}
