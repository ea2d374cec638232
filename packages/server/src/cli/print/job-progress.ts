import type { Job } from "@postdate/client";
import { counted, startProgress } from "../terminal/progress.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { doing } from "./job-words.ts";
import { handledBy, skippedText } from "./jobs.ts";

export interface JobScreen {
  /** Shows how far the job has come. */
  update(job: Job): void;
  /** Removes the bar, so that the next text has a line of its own. */
  clear(): void;
}

/** Shows the progress of a job on stderr. `total` is null if nobody has counted. */
export function showJob(surroundings: Surroundings, job: Job, total: number | null): JobScreen {
  const title = doing[job.action] ?? "Working";
  let handled = handledBy(job);
  const bar = startProgress(surroundings, { title: [title, title], total, done: handled });
  return {
    update(latest) {
      bar.add(handledBy(latest) - handled, remarksOn(latest));
      handled = handledBy(latest);
    },
    clear: () => bar.clear(),
  };
}

function remarksOn(job: Job): string {
  const again = job.failedAgain > 0 ? `${counted(job.failedAgain)} failed again` : "";
  return [again, skippedText(job)].filter(Boolean).join(", ");
}
