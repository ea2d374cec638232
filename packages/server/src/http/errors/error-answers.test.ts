import { readFile } from "node:fs/promises";
import { errorCodeRegistry, payloadLimit as contractPayloadLimit } from "@postdate/contract";
import { describe, expect, test } from "vitest";
import { payloadLimit } from "../../domain/payload.ts";
import { errorCodes } from "../../domain/refusals.ts";
import { misfitStatus, statusOf, statusOfCode } from "./error-answers.ts";

const page = await readFile(
  new URL("../../../../../docs/reference/errors.md", import.meta.url),
  "utf8",
);
const sections = page.split(/^## /m).slice(1);

describe("error codes", () => {
  test("the contract and the domain name the same", () => {
    const raised = errorCodeRegistry.filter(({ reserved }) => reserved !== true);
    expect(raised.map(({ code }) => code)).toEqual([...errorCodes]);
  });

  test("each travels with a status that the contract announces", () => {
    for (const { code, statuses, reserved } of errorCodeRegistry) {
      if (reserved === true) continue;
      const own = statusOfCode[code as keyof typeof statusOfCode];
      const used = code === "E-DI-1003" ? new Set([own, ...Object.values(misfitStatus)]) : [own];
      expect([...used].toSorted((one, other) => one - other)).toEqual([...statuses]);
    }
  });

  test("the reference explains each, and no others", () => {
    const explained = sections.map((section) => section.slice(0, "E-DI-0000".length));
    expect(explained).toEqual(errorCodeRegistry.map(({ code }) => code));
    for (const [index, entry] of errorCodeRegistry.entries()) {
      expect(sections[index]).toContain(entry.title);
      for (const status of entry.statuses) expect(sections[index]).toContain(String(status));
      expect(sections[index]!.includes("Reserved")).toBe(entry.reserved === true);
    }
  });

  test("one bad part makes a bad request", () => {
    const problem = (code: (typeof errorCodes)[number]) => ({ code, message: "" });
    expect(statusOf([problem("E-DI-5007"), problem("E-DI-1001")])).toBe(400);
    expect(statusOf([problem("E-DI-5006")])).toBe(409);
  });

  test("the contract announces the payload limit that the domain enforces", () => {
    expect(contractPayloadLimit).toBe(payloadLimit);
  });
});
