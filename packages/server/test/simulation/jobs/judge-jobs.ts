import type { Job } from "../../../src/domain/job.ts";

/** What is known of one world in which jobs shift messages. */
export interface JobHistory {
  readonly messages: readonly ShiftedMessage[];
  readonly jobs: readonly ShiftJob[];
}

export interface ShiftedMessage {
  readonly messageId: string;
  readonly targetId: string;
  readonly scheduledFor: number;
  readonly finallyAt: number;
}

export interface ShiftJob {
  readonly targetId: string;
  readonly byMs: number;
  /** The job after everything has ended. */
  readonly final: Job;
  /** Set if a stop was answered. */
  readonly stopped: StopAnswer | null;
}

export interface StopAnswer {
  /** The job in the answer. */
  readonly job: Job;
  /** The times of all messages at the moment of the answer, by their ids. */
  readonly times: ReadonlyMap<string, number>;
}

/**
 * The jobs of one target shift by different powers of this number, so a message's time tells which of them
 * have shifted it, and how often.
 */
export const base = 5;

/** The promises of jobs that were broken. */
export function judgeJobs({ messages, jobs }: JobHistory): string[] {
  const problems: string[] = [];
  for (const [targetId, own] of Map.groupBy(jobs, (job) => job.targetId)) {
    const of = messages.filter((message) => message.targetId === targetId);
    const shiftsNow = of.map(({ messageId, scheduledFor, finallyAt }) => {
      const shifts = shiftsBy(own, finallyAt - scheduledFor);
      if (shifts === undefined || shifts.some((count) => count > 1)) {
        problems.push(
          `${messageId} was shifted by ${finallyAt - scheduledFor} ms: ${String(shifts)}`,
        );
      }
      return shifts ?? [];
    });
    for (const [place, job] of own.entries()) {
      const shifted = shiftsNow.filter((shifts) => shifts[place] === 1).length;
      problems.push(
        ...problemsOf(job, shifted, of.length).map((what) => `${job.final.jobId} ${what}`),
      );
      if (job.stopped === null) continue;
      const { times, job: answered } = job.stopped;
      const then = of.map((message) => times.get(message.messageId)! - message.scheduledFor);
      const shiftedThen = then.filter((byMs) => shiftsBy(own, byMs)?.[place] === 1).length;
      if (shiftedThen !== answered.done || shifted !== answered.done) {
        problems.push(
          `${answered.jobId} was stopped after ${answered.done}, when ${shiftedThen} were shifted, and then ${shifted}`,
        );
      }
    }
  }
  return problems;
}

function problemsOf({ final }: ShiftJob, shifted: number, all: number): string[] {
  const { state, matched, done, skipped, maxMessages } = final;
  const problems: string[] = [];
  if (state !== "DONE" && state !== "STOPPED") problems.push(`is ${state} at the end`);
  if (done + skipped.changed + skipped.inFlight !== matched) {
    problems.push(`met ${matched}, and accounts for ${JSON.stringify({ done, skipped })}`);
  }
  if (shifted !== done) problems.push(`says that it changed ${done}, and changed ${shifted}`);
  const wanted = Math.min(all, maxMessages ?? Infinity);
  if (state === "DONE" && done !== wanted) problems.push(`changed ${done} of ${wanted}`);
  if (done > wanted) problems.push(`changed ${done}, more than ${wanted}`);
  return problems;
}

/** How often each job has shifted a message that was shifted by so much in all. Undefined: not by them. */
function shiftsBy(jobs: readonly ShiftJob[], totalMs: number): number[] | undefined {
  const shifts = jobs.map(() => 0);
  let left = totalMs;
  // The largest shift outweighs all smaller ones together, even if each of them came twice.
  const bySize = [...jobs.entries()].toSorted(
    ([, a], [, b]) => Math.abs(b.byMs) - Math.abs(a.byMs),
  );
  for (const [place, { byMs }] of bySize) {
    const count = Math.round(left / byMs);
    shifts[place] = count;
    left -= count * byMs;
  }
  return left === 0 && shifts.every((count) => count >= 0) ? shifts : undefined;
}
