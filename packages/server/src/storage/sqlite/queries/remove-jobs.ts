import type { Instant } from "../../../domain/message.ts";
import type { Context } from "./context.ts";

/** Removes what ended jobs have left of the messages that they met, and the jobs once they expire. */
export function removeJobs({ db, jobs, jobMessages }: Context) {
  const selectToEmpty = db.prepare(
    "SELECT job_key FROM jobs WHERE occupies IS NULL AND emptied = 0 ORDER BY job_key LIMIT 1",
  );
  const deleteJobs = db.prepare(
    `DELETE FROM jobs WHERE job_key IN
       (SELECT job_key FROM jobs WHERE expiration_time <= ? AND emptied = 1
        ORDER BY expiration_time LIMIT ?)`,
  );

  function empty(limit: number): number {
    let left = limit;
    while (left > 0) {
      const jobKey = selectToEmpty.get()?.["job_key"] as number | undefined;
      if (jobKey === undefined) break;
      const removed = jobMessages.remove(jobKey, left);
      if (removed < left) jobs.setEmptied(jobKey);
      left -= removed;
    }
    return limit - left;
  }

  return (now: Instant, limit: number): { readonly removed: number; readonly isDone: boolean } => {
    const emptied = empty(limit);
    const removed = Number(deleteJobs.run(now, limit).changes);
    return { removed: emptied + removed, isDone: selectToEmpty.get() === undefined };
  };
}
