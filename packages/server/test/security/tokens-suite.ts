import { describe } from "vitest";
import { credentialPlacesSuite } from "./credential-places-suite.ts";
import { endedTokensSuite } from "./ended-tokens-suite.ts";
import { forgedTokensSuite } from "./forged-tokens-suite.ts";
import { tokenClaimsSuite } from "./token-claims-suite.ts";
import { tokenKeysSuite } from "./token-keys-suite.ts";
import type { Subject } from "./subject.ts";

/** Access tokens: their parts, their claims, where they are sent, and when they end. */
export function tokensSuite(subject: Subject): void {
  describe("forged", () => forgedTokensSuite(subject));
  describe("keys", () => tokenKeysSuite(subject));
  describe("claims", () => tokenClaimsSuite(subject));
  describe("places", () => credentialPlacesSuite(subject));
  // This suite is last, because it ends every token of the server.
  describe("ended", () => endedTokensSuite(subject));
}
