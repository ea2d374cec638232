import { describe } from "vitest";
import type { MakeLocation } from "./harness.ts";
import { jobKeepingSuite } from "./jobs/job-keeping-suite.ts";
import { jobLookSuite } from "./jobs/job-look-suite.ts";
import { jobStepsSuite } from "./jobs/job-steps-suite.ts";
import { jobSuspensionSuite } from "./jobs/job-suspension-suite.ts";
import { jobTurnsSuite } from "./jobs/job-turns-suite.ts";

/** Changes of many messages, a few at a time. */
export function jobSuite(
  makeLocation: MakeLocation,
  { shared }: { readonly shared: boolean },
): void {
  describe("records", () => jobKeepingSuite(makeLocation));
  describe("which messages", () => jobLookSuite(makeLocation));
  describe("steps", () => jobStepsSuite(makeLocation));
  describe("of suspended accounts", () => jobSuspensionSuite(makeLocation));
  describe("turns", () => jobTurnsSuite(makeLocation, { shared }));
}
