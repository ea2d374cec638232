import type { Caller } from "../../domain/access.ts";
import type { Attempt } from "../../domain/attempt.ts";
import { codes, RequestLimited, RequestRefused } from "../../domain/refusals.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Clock } from "../../platform/clock.ts";
import { newEventId } from "../../platform/event-ids.ts";
import type { Random } from "../../platform/random.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Timers } from "../../platform/timers.ts";
import type { Store } from "../../storage/store.ts";
import { eventBody } from "../../targets/event-body.ts";
import type { EventSender } from "../../targets/event-sender.ts";
import { openWebhook } from "../../targets/sealed-endpoint.ts";
import type { TestPlaces } from "../targets/test-places.ts";
import { onlyForWebhooks, readEndpoint } from "./endpoint-ref.ts";
import { waitFor } from "./wait-for.ts";

export interface TestEvent {
  readonly accountId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly time: Instant;
}

export interface TestEndpointOptions {
  readonly store: Pick<Store, "getEndpoint">;
  readonly testPlaces: TestPlaces;
  readonly secretBox: SecretBox;
  readonly eventSender: Pick<EventSender, "send">;
  /** The event as it is sent: a CloudEvent in JSON. */
  readonly writeTestEvent: (event: TestEvent) => string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** Aborts when the server stops and cannot wait any longer. */
  readonly stopping: AbortSignal;
}

export interface TestedEndpoint {
  readonly endpointId: string;
  readonly eventId: string;
  readonly attempt: Attempt;
}

/** Longer than any request to a webhook. */
const longestTestMs = 60_000;
const askAgainMs = 1_000;

/**
 * Sends one signed event at once, as a list where deliveries to the endpoint are lists, also to one that is paused or disabled. It is in no log, and is not sent again.
 * The test ends when the caller goes away.
 */
export async function testEventEndpoint(
  options: TestEndpointOptions,
  caller: Caller,
  endpointId: string,
  callerGone: AbortSignal,
): Promise<TestedEndpoint> {
  const { accountId } = caller;
  // Only a test that is sent takes a place: an unknown id gets its own answer, however many tests are under way.
  const endpoint = await readEndpoint(options.store, caller, endpointId);
  const open = openWebhook(options.secretBox, endpoint);
  if (open === undefined) throw new RequestRefused(onlyForWebhooks("A test"));
  const place = options.testPlaces.take(accountId);
  if (place === undefined) throw tooManyTests();
  try {
    const { clock, random, timers, stopping } = options;
    const eventId = newEventId(random);
    const startTime = clock.now();
    const begun = clock.monotonic();
    const text = options.writeTestEvent({ accountId, endpointId, eventId, time: startTime });
    using ending = waitFor(timers, longestTestMs, stopping, callerGone);
    const report = await options.eventSender.send({
      ...{ accountId, endpointId, ...open, ...eventBody([{ eventId, text }], endpoint.maxBatch) },
      ...{ attemptNumber: 1, startTime, signal: ending.signal },
    });
    const endTime = startTime + Math.round(clock.monotonic() - begun);
    const { outcome, statusCode, error, response } = report;
    const attempt = { number: 1, startTime, endTime, outcome, statusCode, error, response };
    return { endpointId, eventId, attempt };
  } finally {
    place.giveBack();
  }
}

function tooManyTests(): RequestLimited {
  return new RequestLimited(askAgainMs, {
    code: codes.tooManyRequests,
    message:
      "This account, or this server, has as many tests under way as it may have at once. Wait for one to end, then test again.",
  });
}
