import { describe } from "vitest";
import { bodiesSuite } from "./bodies-suite.ts";
import { crossAccountSuite } from "./cross-account-suite.ts";
import { metacharactersSuite } from "./metacharacters-suite.ts";
import { pageTokensSuite } from "./page-tokens-suite.ts";
import { redirectsSuite } from "./redirects-suite.ts";
import { responsesSuite } from "./responses-suite.ts";
import { scopesSuite } from "./scopes-suite.ts";
import { secretsSuite } from "./secrets-suite.ts";
import { lateBodiesSuite } from "./late-bodies-suite.ts";
import { sessionsSuite } from "./sessions-suite.ts";
import { securitySubject } from "./subject.ts";
import type { Ground } from "./subject.ts";
import { tokensSuite } from "./tokens-suite.ts";

/** Every attack, on one store. */
export function securitySuite(ground: Ground): void {
  const subject = securitySubject(ground);
  describe("scopes", () => scopesSuite(subject));
  describe("tokens", () => tokensSuite(subject));
  describe("sessions", () => sessionsSuite(subject));
  describe("cross-account", () => crossAccountSuite(subject));
  describe("page tokens", () => pageTokensSuite(subject));
  describe("responses", () => responsesSuite(subject));
  describe("secrets", () => secretsSuite(subject));
  describe("redirects", () => redirectsSuite(subject));
  describe("bodies", () => bodiesSuite(subject));
  describe("metacharacters", () => metacharactersSuite(subject));
  describe("late bodies", () => lateBodiesSuite(subject));
}
