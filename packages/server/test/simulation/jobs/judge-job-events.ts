import type { Job, JobState } from "../../../src/domain/job.ts";
import type { Snapshot } from "../model-store/snapshot.ts";

const typeOf: Readonly<Record<JobState, string | null>> = {
  RUNNING: null,
  PAUSED: "job.paused",
  DONE: "job.ended",
  STOPPED: "job.ended",
  FAILED: "job.ended",
};

/** Holds the events of jobs against their states. */
export function judgeJobEvents({ jobJournal, events: logs }: Snapshot): string[] {
  const told = new Map(
    Map.groupBy(
      [...logs.values()].flat().filter(({ data }) => data.job !== undefined),
      ({ data }) => data.job!.jobId,
    ),
  );
  const states = Map.groupBy(jobJournal, ({ jobId }) => jobId);
  return [...new Set([...states.keys(), ...told.keys()])].flatMap((jobId) => {
    const wanted = (states.get(jobId) ?? []).flatMap((job, index) => {
      const type = index === 0 ? "job.started" : typeOf[job.state];
      return type === null ? [] : [textOf(type, job)];
    });
    const got = (told.get(jobId) ?? []).map(({ type, data }) => textOf(type, data.job!));
    return got.join() === wanted.join()
      ? []
      : [`the events of ${jobId}: ${got.join(", ") || "none"}, not ${wanted.join(", ") || "none"}`];
  });
}

type Shown = Pick<Job, "state" | "matched" | "done" | "skipped" | "failedAgain" | "stopReason">;

function textOf(type: string, { state, matched, done, skipped, failedAgain, stopReason }: Shown) {
  return `${type} ${JSON.stringify([state, matched, done, skipped, failedAgain, stopReason])}`;
}
