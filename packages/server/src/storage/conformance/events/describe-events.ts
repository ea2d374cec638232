import { describe } from "vitest";
import type { MakeClockedLocation } from "../schedules/schedule-harness.ts";
import { eventEndpointsSuite } from "./event-endpoints-suite.ts";
import { eventFilterSuite } from "./event-filter-suite.ts";
import { eventHealthSuite } from "./event-health-suite.ts";
import { eventLogSuite } from "./event-log-suite.ts";
import { eventMarksSuite } from "./event-marks-suite.ts";
import { eventMessagesSuite } from "./event-messages-suite.ts";
import { eventOthersSuite } from "./event-others-suite.ts";
import { eventWebhooksSuite } from "./event-webhooks-suite.ts";

/** What every store must tell of what happens. Every adapter runs all of it. The tests set the clock. */
export function describeEvents(
  name: string,
  makeLocation: MakeClockedLocation,
  { shared }: { readonly shared: boolean },
): void {
  describe(`${name}: events`, () => {
    describe("endpoints", () => eventEndpointsSuite(makeLocation));
    describe("filters", () => eventFilterSuite(makeLocation));
    describe("of messages", () => eventMessagesSuite(makeLocation));
    describe("of other things", () => eventOthersSuite(makeLocation));
    describe("the health of targets", () => eventHealthSuite(makeLocation));
    describe("the log", () => eventLogSuite(makeLocation));
    describe("marks", () => eventMarksSuite(makeLocation));
    describe("webhooks", () => eventWebhooksSuite(makeLocation, { shared }));
  });
}
