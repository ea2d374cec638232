import {
  EventEndpointPath,
  EventList,
  EventListQuery,
  EventStreamHeaders,
  EventStreamQuery,
  named,
  Type,
} from "@postdate/contract";
import type { EventsRead } from "../../operations/operations.ts";
import { watchAdmission } from "../admission/watch-admission.ts";
import type { AdmissionWatchOptions } from "../admission/watch-admission.ts";
import type { Door } from "../admission/door.ts";
import { hangUpOf } from "../wire/hang-up.ts";
import { PieceTurns } from "../wire/piece-turns.ts";
import { errorAnswers } from "./error-schemas.ts";
import { numbersIn, soundQuery } from "./page-query.ts";
import type { Api, RouteOptions } from "./route-options.ts";
import { sendStream } from "./send-stream.ts";

const tags = ["Events"];

export interface EventReadOptions extends RouteOptions, AdmissionWatchOptions {
  readonly door: Pick<Door, "letIn" | "stepAside">;
}

export function eventReadRoutes(api: Api, options: EventReadOptions): void {
  const { operations, refuseNow, door } = options;
  const pieceTurns = new PieceTurns();

  api.get(
    "/v1/event-endpoints/:endpointId/events",
    {
      preValidation: numbersIn("limit", "waitMs"),
      attachValidation: true,
      config: { access: "readAll" },
      schema: {
        operationId: "readEvents",
        tags,
        summary: "Read events",
        description:
          "Answers with the next events of an endpoint, of either kind, and waits for one if there is none yet and `waitMs` says so. Send `nextPosition` as `after` to read on. A call without `after` and `from` begins now. If events after the position have left the log, or the log was set back since, as by a restored backup, the answer is 410. An account, and this node, have a bounded number of calls that wait and of streams; beyond that the answer is 429 with `Retry-After`.",
        params: EventEndpointPath,
        querystring: EventListQuery,
        response: {
          // Written by hand.
          200: Type.Unsafe<EventsRead>(named(EventList)),
          ...errorAnswers(404, 410),
        },
      },
    },
    async (request, reply) => {
      const { caller, params } = request;
      const query = soundQuery(request, request.query);
      const ending = new AbortController();
      const end = (): void => ending.abort();
      const hangUp = hangUpOf(reply);
      if (hangUp.aborted) end();
      hangUp.addEventListener("abort", end, { once: true });
      let watch: { close(): void } | undefined;
      const read = await operations
        .readEvents(caller, params.endpointId, {
          ...query,
          callerGone: ending.signal,
          onWait() {
            // Others may have the place of a request that only waits.
            door.stepAside(request);
            watch = watchAdmission(options, request, reply, end);
          },
        })
        .finally(() => watch?.close());
      void reply.header("cache-control", "no-store");
      if (watch !== undefined && !door.letIn(request, reply, caller.accountId)) return reply;
      // It may also have waited for its turn.
      const refusal = await refuseNow(request, reply);
      if (refusal !== undefined) throw refusal;
      return read;
    },
  );

  api.get(
    "/v1/event-endpoints/:endpointId/stream",
    {
      exposeHeadRoute: false,
      attachValidation: true,
      config: { access: "readAll", documentedHeaders: EventStreamHeaders },
      schema: {
        operationId: "streamEvents",
        tags,
        summary: "Stream events",
        description:
          "Sends the events of an endpoint, of either kind, as they happen: Server-Sent Events with the position as `id:`, the type as `event:` and the event as `data:`. Begins now, after `from`, or after `Last-Event-ID`. If events after that have left the log, or the log was set back since, as by a restored backup, one `postdate.gap` without `id:` says so, and the stream goes on from the oldest. After 15 s without an event a comment says how far the log was looked at, such as `: at MTo0MjA6azhzMmhkNTF4MA`. The stream ends when its credential or its endpoint does, or when the server stops: then connect again. An account, and this node, have a bounded number of streams and of calls that wait; beyond that the answer is 429 with `Retry-After`.",
        params: EventEndpointPath,
        querystring: EventStreamQuery,
        response: {
          200: {
            description: "The events, until the caller hangs up.",
            content: { "text/event-stream": { schema: { type: "string" } } },
          },
          ...errorAnswers(404),
        },
      },
    },
    async (request, reply) => {
      const { caller, params, headers } = request;
      const { from, problems } = soundQuery(request, request.query);
      const stream = await operations.streamEvents(caller, params.endpointId, {
        from,
        lastEventId: headers["last-event-id"]?.toString(),
        problems,
      });
      return sendStream({ ...options, pieceTurns }, stream, request, reply);
    },
  );
}
