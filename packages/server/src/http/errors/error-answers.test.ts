import { readFile } from "node:fs/promises";
import {
  errorCodeRegistry,
  longestDelayMs,
  payloadLimit as contractPayloadLimit,
} from "@postdate/contract";
import type { ErrorCodeEntry } from "@postdate/contract";
import { describe, expect, test } from "vitest";
import { payloadLimit } from "../../domain/payload.ts";
import { latestTime } from "../../domain/times.ts";
import { codes } from "../../domain/refusals.ts";
import type { ErrorCode } from "../../domain/refusals.ts";
import { misfitStatus, statusOf, statusOfCode } from "./error-answers.ts";

const page = await readFile(
  new URL("../../../../../docs/reference/errors.md", import.meta.url),
  "utf8",
);
const registry: readonly (readonly [string, ErrorCodeEntry])[] = Object.entries(errorCodeRegistry);
const sections = page.split(/^## /m).slice(1);

describe("error codes", () => {
  test("the contract and the domain list the same codes, in the same order", () => {
    const raised = registry.filter(([, { reserved }]) => reserved !== true);
    expect(raised.map(([name, { code }]) => [name, code])).toEqual(Object.entries(codes));
  });

  test("the server uses exactly the statuses that the contract lists for each code", () => {
    for (const [name, { code, statuses, reserved }] of registry) {
      if (reserved === true) continue;
      const own = statusOfCode[code as ErrorCode];
      const used = name === "misfit" ? new Set([own, ...Object.values(misfitStatus)]) : [own];
      expect([...used].toSorted((one, other) => one - other)).toEqual([...statuses]);
    }
  });

  test("the reference page explains every code, and no others", () => {
    const explained = sections.map((section) => section.slice(0, "E-DI-0000".length));
    expect(explained).toEqual(registry.map(([, { code }]) => code));
    for (const [index, [, entry]] of registry.entries()) {
      expect(sections[index]).toContain(entry.title);
      for (const status of entry.statuses) expect(sections[index]).toContain(String(status));
      expect(sections[index]!.includes("Reserved")).toBe(entry.reserved === true);
    }
  });

  test("one bad part makes the whole request a bad request", () => {
    const problem = (code: ErrorCode) => ({ code, message: "" });
    expect(statusOf([problem("E-DI-5007"), problem("E-DI-1001")])).toBe(400);
    expect(statusOf([problem("E-DI-5006")])).toBe(409);
  });

  test("the contract documents the payload limit that the domain enforces", () => {
    expect(contractPayloadLimit).toBe(payloadLimit);
  });

  test("the longest delay ends at a time that can be written, for thousands of years to come", () => {
    expect(Date.UTC(8900, 0, 1) + longestDelayMs).toBeLessThan(latestTime);
  });
});
