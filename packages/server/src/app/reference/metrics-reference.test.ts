import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptOutcomes } from "../../domain/attempt.ts";
import { jobActions } from "../../domain/job.ts";
import { metricsReference } from "./metrics-reference.ts";

test("docs/reference/metrics.md matches the code (npm run docs:reference writes it)", async () => {
  const page = join(import.meta.dirname, "../../../../../docs/reference/metrics.md");
  const text = await metricsReference();
  expect(readFileSync(page, "utf8")).toBe(text);
  for (const value of [...attemptOutcomes, ...jobActions]) expect(text).toContain(`\`${value}\``);
});
