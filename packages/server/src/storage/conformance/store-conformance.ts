import { describe } from "vitest";
import type { MakeLocation } from "./harness.ts";
import { accessSuite } from "./access-suite.ts";
import { accountSuite } from "./account-suite.ts";
import { auditSuite } from "./audit-suite.ts";
import { changeSuite } from "./change-suite.ts";
import { claimSuite } from "./claim-suite.ts";
import { clientSuite } from "./client-suite.ts";
import { delaySuite } from "./delay-suite.ts";
import { encryptionSuite } from "./encryption-suite.ts";
import { eventStepsSuite } from "./events/event-steps-suite.ts";
import { expirySuite } from "./expiry-suite.ts";
import { findSuite } from "./find-suite.ts";
import { jobSuite } from "./job-suite.ts";
import { membershipSuite } from "./membership-suite.ts";
import { keySuite } from "./key-suite.ts";
import { listSuite } from "./list-suite.ts";
import { optionsSuite } from "./options-suite.ts";
import { quotaSuite } from "./quota-suite.ts";
import { recordSuite } from "./record-suite.ts";
import { removalSuite } from "./removal-suite.ts";
import { requestsSuite } from "./requests-suite.ts";
import { scheduleSuite } from "./schedule-suite.ts";
import { sessionSuite } from "./session-suite.ts";
import { signingKeySuite } from "./signing-key-suite.ts";
import { statsSuite } from "./stats-suite.ts";
import { suspensionSuite } from "./suspension-suite.ts";
import { targetSuite } from "./target-suite.ts";
import { testDeliverySuite } from "./test-delivery-suite.ts";

/** What every store must do. Every adapter runs all of it. */
export function describeStore(
  name: string,
  makeLocation: MakeLocation,
  { shared }: { readonly shared: boolean },
): void {
  describe(`${name}: the store port`, () => {
    describe("scheduling", () => scheduleSuite(makeLocation));
    describe("delays", () => delaySuite(makeLocation, { shared }));
    describe("options", () => optionsSuite(makeLocation));
    describe("keys", () => keySuite(makeLocation));
    describe("cancel and reschedule", () => changeSuite(makeLocation));
    describe("claims", () => claimSuite(makeLocation));
    describe("recording attempts", () => recordSuite(makeLocation));
    describe("events of one commit", () => eventStepsSuite(makeLocation));
    describe("lists", () => listSuite(makeLocation));
    describe("searches", () => findSuite(makeLocation));
    describe("jobs", () => jobSuite(makeLocation, { shared }));
    describe("statistics", () => statsSuite(makeLocation));
    describe("quotas", () => quotaSuite(makeLocation));
    describe("targets", () => targetSuite(makeLocation));
    describe("test deliveries", () => testDeliverySuite(makeLocation, { shared }));
    describe("access", () => accessSuite(makeLocation));
    describe("sessions", () => sessionSuite(makeLocation));
    describe("clients and tokens", () => clientSuite(makeLocation));
    describe("signing keys", () => signingKeySuite(makeLocation, { shared }));
    describe("encryption", () => encryptionSuite(makeLocation, { shared }));
    describe("accounts", () => accountSuite(makeLocation));
    describe("suspended accounts", () => suspensionSuite(makeLocation));
    describe("removed accounts", () => removalSuite(makeLocation));
    describe("the audit log", () => auditSuite(makeLocation));
    describe("request limits", () => requestsSuite(makeLocation, { shared }));
    describe("expiry", () => expirySuite(makeLocation));
    if (shared) describe("several nodes", () => membershipSuite(makeLocation));
  });
}
