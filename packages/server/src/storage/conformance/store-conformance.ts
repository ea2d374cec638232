import { describe } from "vitest";
import type { MakePlace } from "./harness.ts";
import { accessSuite } from "./access-suite.ts";
import { accountSuite } from "./account-suite.ts";
import { auditSuite } from "./audit-suite.ts";
import { changeSuite } from "./change-suite.ts";
import { claimSuite } from "./claim-suite.ts";
import { clientSuite } from "./client-suite.ts";
import { expirySuite } from "./expiry-suite.ts";
import { livesSuite } from "./lives-suite.ts";
import { listSuite } from "./list-suite.ts";
import { quotaSuite } from "./quota-suite.ts";
import { recordSuite } from "./record-suite.ts";
import { removalSuite } from "./removal-suite.ts";
import { requestsSuite } from "./requests-suite.ts";
import { scheduleSuite } from "./schedule-suite.ts";
import { signingKeySuite } from "./signing-key-suite.ts";
import { suspensionSuite } from "./suspension-suite.ts";
import { targetSuite } from "./target-suite.ts";
import { testDeliverySuite } from "./test-delivery-suite.ts";

/** What every store must do, whatever it is made of. An adapter runs this and nothing less. */
export function describeStore(
  name: string,
  makePlace: MakePlace,
  { shared }: { readonly shared: boolean },
): void {
  describe(`${name}: the store port`, () => {
    describe("scheduling", () => scheduleSuite(makePlace));
    describe("cancel and reschedule", () => changeSuite(makePlace));
    describe("claims", () => claimSuite(makePlace));
    describe("recording attempts", () => recordSuite(makePlace));
    describe("lists", () => listSuite(makePlace));
    describe("quotas", () => quotaSuite(makePlace));
    describe("targets", () => targetSuite(makePlace));
    describe("test deliveries", () => testDeliverySuite(makePlace, { shared }));
    describe("access", () => accessSuite(makePlace));
    describe("clients and tokens", () => clientSuite(makePlace));
    describe("signing keys", () => signingKeySuite(makePlace, { shared }));
    describe("accounts", () => accountSuite(makePlace));
    describe("suspended accounts", () => suspensionSuite(makePlace));
    describe("removed accounts", () => removalSuite(makePlace));
    describe("the audit log", () => auditSuite(makePlace));
    describe("request limits", () => requestsSuite(makePlace, { shared }));
    describe("expiry", () => expirySuite(makePlace));
    if (shared) describe("several nodes", () => livesSuite(makePlace));
  });
}
