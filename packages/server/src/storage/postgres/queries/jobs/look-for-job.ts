import { mostLookedAtByStep } from "../../../../domain/job.ts";
import type { JobLook, JobLookRequest } from "../../../store.ts";
import type { Context } from "../context.ts";
import { walkOn } from "./walk.ts";

export function lookForJob({ connections }: Context) {
  return async ({ order, time, after, sample }: JobLookRequest): Promise<JobLook> => {
    const walked = await walkOn(
      (query) => connections.query(query, order.accountId),
      { ...order, jobId: null, creationTime: time },
      { after, limit: mostLookedAtByStep },
    );
    const matched = walked.flatMap(({ matched }) => matched ?? []);
    return {
      count: matched.length,
      sample: matched.slice(0, sample).map(({ message }) => message),
      lookedUntil: walked.length < mostLookedAtByStep ? null : walked.at(-1)!.position,
    };
  };
}
