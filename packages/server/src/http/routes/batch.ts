import type { FastifyRequest } from "fastify";
import {
  BatchResults,
  IdempotencyHeaders,
  named,
  NoQuery,
  ScheduleBatch,
} from "@postdate/contract";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { loneSurrogate } from "../../operations/messages/message-draft.ts";
import { createItemNaming, isEnough, namedProblems } from "../errors/named-problems.ts";
import { refusalProblems } from "../errors/request-problems.ts";
import { fieldOf, problemOf } from "../errors/schema-problems.ts";
import type { SchemaError } from "../errors/schema-problems.ts";
import { tellingMonthlyLimit } from "../admission/telling-monthly-limit.ts";
import { hangUpOf } from "../wire/hang-up.ts";
import { wireBatch } from "../wire/wire-batch.ts";
import { readDraft, readIdempotencyKey } from "./read-draft.ts";
import { bodyErrorAnswers } from "./error-schemas.ts";
import type { Api, RouteOptions } from "./route-options.ts";

export function batchRoute(api: Api, { operations, bodyLimits }: RouteOptions): void {
  api.post(
    "/v1/messages/batch",
    {
      attachValidation: true,
      bodyLimit: bodyLimits.batch,
      config: {
        access: "writeMessages",
        documentedHeaders: IdempotencyHeaders,
        mostValues: 40_000,
      },
      schema: {
        operationId: "scheduleBatch",
        tags: ["Messages"],
        summary: "Schedule many messages",
        description:
          "Each message is scheduled or refused on its own: a refused message does not stop the others. Messages may have keys of their own (`idempotencyKey`). With the header `Idempotency-Key` instead, each message of a repeated batch is matched by its index.",
        querystring: NoQuery,
        body: named(ScheduleBatch),
        response: { 200: named(BatchResults), ...bodyErrorAnswers() },
      },
    },
    async (request, reply) => {
      const problemsByItem = itemProblems(request);
      const { messages } = request.body;
      const drafts = messages.map((item, index) =>
        readDraft(item, problemsByItem.get(index) ?? [], request.traceParent),
      );
      const key = readIdempotencyKey(request.headers);
      const { caller } = request;
      const batch = await tellingMonthlyLimit(operations, caller, reply, () =>
        operations.scheduleBatch(caller, drafts, key, () => hangUpOf(reply)),
      );
      if (batch.repeated) void reply.header("idempotency-replayed", "true");
      return wireBatch(batch.results, createItemNaming());
    },
  );
}

const itemPointer = /^\/messages\/(\d+)(.*)$/;

/** The problems of single messages, by index. Any other problem refuses the whole batch. */
function itemProblems(request: FastifyRequest): Map<number, Problem[]> {
  const found = new Map<number, Problem[]>();
  let count = 0;
  const problemsOf = (index: number): Problem[] => {
    const problems = found.get(index) ?? [];
    found.set(index, problems);
    return problems;
  };
  const error = request.validationError;
  for (const one of (error?.validation ?? []) as readonly SchemaError[]) {
    const item = error?.validationContext === "body" ? itemPointer.exec(one.instancePath) : null;
    if (item === null) throw refusalOf(request);
    const problems = problemsOf(Number(item[1]));
    // With thousands of unknown fields, no answer would list a text for each.
    if (one.keyword === "additionalProperties" && isEnough(problems.length, count)) {
      problems.push(unknownFields);
      continue;
    }
    count++;
    const isNone = item[2] === "" && one.keyword === "type";
    const own = { ...one, instancePath: item[2]! };
    problems.push(isNone ? notAMessage : problemOf(own, { before: count }));
  }
  for (const pointer of request.loneSurrogates ?? []) {
    const item = itemPointer.exec(pointer);
    if (item === null) throw refusalOf(request);
    problemsOf(Number(item[1])).push(loneSurrogate(fieldOf(item[2]!)));
  }
  if (error !== undefined && Object.keys(request.query as object).length > 0) {
    throw refusalOf(request);
  }
  return found;
}

function refusalOf(request: FastifyRequest): RequestRefused {
  return new RequestRefused(...namedProblems(refusalProblems(request)));
}

const unknownFields: Problem = {
  code: codes.invalidRequest,
  message: "More fields are unknown here. Leave them out.",
};

const notAMessage: Problem = {
  code: codes.invalidRequest,
  message: "A message must be an object with targetId, payload, and deliveryTime or delayMs.",
};
