import { describe } from "vitest";
import { connectionsSuite } from "./connections-suite.ts";
import { hostileStringsSuite } from "./hostile-strings-suite.ts";
import { injectionSuite } from "./injection-suite.ts";
import { smugglingSuite } from "./smuggling-suite.ts";
import { securitySubject } from "./subject.ts";
import type { Ground } from "./subject.ts";

/**
 * Attacks that the server should refuse before it asks a store. They run on each store, in case the server
 * asks it after all.
 */
export function edgeSuite(prepare: Ground["prepare"]): void {
  const subject = securitySubject({
    prepare,
    dump: () => Promise.reject(new Error("nobody looks into this one")),
  });
  describe("injection", () => injectionSuite(subject));
  describe("smuggling", () => smugglingSuite(subject));
  describe("connections", () => connectionsSuite(subject));
  describe("hostile strings", () => hostileStringsSuite(subject));
}
