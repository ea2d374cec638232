import type { FastifyReply } from "fastify";
import {
  ChangeJob,
  CreateJob,
  IdempotencyHeaders,
  Job,
  JobListQuery,
  JobPage,
  JobPath,
  JobPreview,
  named,
  NoBody,
  NoQuery,
  RedriveDeadLetters,
  TargetPath,
} from "@postdate/contract";
import type { Caller } from "../../domain/access.ts";
import type { JobRequest } from "../../operations/jobs/job-request.ts";
import type { Operations } from "../../operations/operations.ts";
import { soundBodyWith } from "../errors/sound-part.ts";
import { hangUpOf } from "../wire/hang-up.ts";
import { wireJob, wirePreview } from "../wire/wire-jobs.ts";
import { wirePage } from "../wire/wire-messages.ts";
import { bodyErrorAnswers, errorAnswers } from "./error-schemas.ts";
import { inPages, soundQuery } from "./page-query.ts";
import { readIdempotencyKey } from "./read-draft.ts";
import { redriveOf } from "./redrive-of.ts";
import type { Api, RouteOptions } from "./route-options.ts";

const tags = ["Jobs"];

const created = { 200: named(JobPreview), 201: named(Job) };

export function jobRoutes(api: Api, options: RouteOptions): void {
  const { operations, bodyLimits } = options;

  api.post(
    "/v1/jobs",
    {
      attachValidation: true,
      bodyLimit: bodyLimits.small,
      config: { access: "writeMessages", documentedHeaders: IdempotencyHeaders },
      schema: {
        operationId: "createJob",
        tags,
        summary: "Change many messages",
        description:
          "Creates a job that changes all messages that match its filter, a few at a time and each exactly once, until it is done, stopped or paused. It leaves alone what is scheduled, or becomes a dead letter, after it was created. With `dryRun` nothing changes: the answer is 200 with what the job would change.",
        querystring: NoQuery,
        body: named(CreateJob),
        response: { ...created, ...bodyErrorAnswers(409, 422) },
      },
    },
    async (request, reply) => {
      const { fields, problems } = soundBodyWith(request, request.body, "filter");
      const wanted: Wanted = { given: fields, problems, targetIn: "filter", ...fields };
      return answerJob(operations, request, reply, wanted);
    },
  );

  api.post(
    "/v1/targets/:targetId/dead-letters/redrive",
    {
      attachValidation: true,
      bodyLimit: bodyLimits.small,
      config: {
        access: "writeMessages",
        bodyMayBeMissing: true,
        documentedHeaders: IdempotencyHeaders,
        refusedFields: {
          "filter.targetId": "Leave out filter.targetId: the path names the target.",
        },
      },
      schema: {
        operationId: "redriveDeadLetters",
        tags,
        summary: "Redrive the dead letters of a target",
        description:
          "Creates a job with the action `redrive` for this target: its dead letters are scheduled again, for now, with a fresh retry budget.",
        params: TargetPath,
        querystring: NoQuery,
        body: named(RedriveDeadLetters),
        response: { ...created, ...bodyErrorAnswers(404, 409, 422) },
      },
    },
    async (request, reply) => {
      const { fields, problems } = soundBodyWith(request, request.body, "filter");
      const given = redriveOf(request.params.targetId, fields);
      const wanted: Wanted = { given, problems, targetIn: "path", dryRun: fields.dryRun };
      return answerJob(operations, request, reply, wanted);
    },
  );

  api.get(
    "/v1/jobs",
    {
      ...inPages,
      config: { access: "readMessages" },
      schema: {
        operationId: "listJobs",
        tags,
        summary: "List the jobs",
        description:
          "The newest first. Jobs that have ended are kept as long as messages that have ended, at most the newest 1,000.",
        querystring: JobListQuery,
        response: { 200: named(JobPage), ...errorAnswers() },
      },
    },
    async (request) => {
      const query = soundQuery(request, request.query);
      return wirePage(await operations.listJobs(request.caller, query), wireJob);
    },
  );

  api.get(
    "/v1/jobs/:jobId",
    {
      config: { access: "readMessages" },
      schema: {
        operationId: "getJob",
        tags,
        summary: "Get a job",
        params: JobPath,
        querystring: NoQuery,
        response: { 200: named(Job), ...errorAnswers(404) },
      },
    },
    async ({ caller, params }) => wireJob(await operations.getJob(caller, params.jobId)),
  );

  api.patch(
    "/v1/jobs/:jobId",
    {
      bodyLimit: bodyLimits.small,
      config: { access: "writeMessages" },
      schema: {
        operationId: "changeJob",
        tags,
        summary: "Change the rate of a job",
        description:
          "For a job that removes its target, or that makes runs of a schedule, this needs the scope `scheduler.all.readwrite`.",
        params: JobPath,
        querystring: NoQuery,
        body: named(ChangeJob),
        response: { 200: named(Job), ...bodyErrorAnswers(404, 409) },
      },
    },
    async ({ caller, params, body }) =>
      wireJob(await operations.setJobRate(caller, params.jobId, body.ratePerSecond)),
  );

  for (const action of actions) addAction(api, options, action);
}

interface Wanted extends JobRequest {
  readonly dryRun?: boolean | undefined;
}

async function answerJob(
  operations: Operations,
  { caller, headers }: { readonly caller: Caller; readonly headers: JobHeaders },
  reply: FastifyReply,
  { dryRun, ...wanted }: Wanted,
) {
  if (dryRun === true) {
    return wirePreview(await operations.previewJob(caller, wanted, hangUpOf(reply)));
  }
  const { job, repeated } = await operations.createJob(caller, wanted, readIdempotencyKey(headers));
  if (repeated) void reply.header("idempotency-replayed", "true");
  void reply.code(201);
  return wireJob(job);
}

type JobHeaders = Parameters<typeof readIdempotencyKey>[0];

interface JobAction {
  readonly operation: "stopJob" | "pauseJob" | "resumeJob";
  readonly resource: string;
  readonly summary: string;
  readonly description: string;
}

const actions: readonly JobAction[] = [
  {
    operation: "stopJob",
    resource: "stop",
    summary: "Stop a job",
    description:
      "Ends the job. After a 200 it changes nothing more; what it has changed stays changed.",
  },
  {
    operation: "pauseJob",
    resource: "pause",
    summary: "Pause a job",
    description: "After a 200 the job changes nothing until it is resumed.",
  },
  {
    operation: "resumeJob",
    resource: "resume",
    summary: "Resume a job",
    description:
      "A paused job goes on where it was, also one that paused after failures. For a job that removes its target, or that makes runs of a schedule, this needs the scope `scheduler.all.readwrite`.",
  },
];

function addAction(api: Api, { operations, bodyLimits }: RouteOptions, action: JobAction): void {
  const { operation, resource, summary, description } = action;
  api.post(
    `/v1/jobs/:jobId/${resource}`,
    {
      bodyLimit: bodyLimits.small,
      config: { access: "writeMessages", bodyMayBeMissing: true },
      schema: {
        operationId: operation,
        tags,
        summary,
        description,
        params: JobPath,
        querystring: NoQuery,
        body: named(NoBody),
        response: { 200: named(Job), ...bodyErrorAnswers(404, 409) },
      },
    },
    async ({ caller, params }) => wireJob(await operations[operation](caller, params.jobId)),
  );
}
