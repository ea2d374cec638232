import { describe } from "vitest";
import { connectionsSuite } from "./connections-suite.ts";
import { hostileStringsSuite } from "./hostile-strings-suite.ts";
import { injectionSuite } from "./injection-suite.ts";
import { smugglingSuite } from "./smuggling-suite.ts";
import { securitySubject } from "./subject.ts";

/** What is decided before a store is asked: once is enough, on the store that is at hand. */
const subject = securitySubject({
  prepare: async () => ({}),
  dump: () => Promise.reject(new Error("nobody looks into this one")),
});

describe("injection", () => injectionSuite(subject));
describe("smuggling", () => smugglingSuite(subject));
describe("connections", () => connectionsSuite(subject));
describe("hostile strings", () => hostileStringsSuite(subject));
