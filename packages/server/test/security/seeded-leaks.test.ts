import { beforeAll, describe, expect, test, vi } from "vitest";
import { envWith } from "../support/seeded-bug.ts";
import type { SeededBug } from "../support/seeded-bug.ts";
import { rootKey } from "../support/server-process.ts";
import { patiently } from "../support/shared-service.ts";
import { secretsIn } from "./find-secrets.ts";
import type { Secrets } from "./find-secrets.ts";
import { useCredentials, useTargetSecrets } from "./spill-secrets.ts";
import { securitySubject } from "./subject.ts";

const payload = "the payload, which nobody should find in a log";

/** Bugs that write a secret to the log, and some secrets that the search must then find there. */
const leaks: readonly [what: string, bug: SeededBug | null, found: readonly string[]][] = [
  ["nothing is changed", null, []],
  [
    "a request's headers are logged",
    {
      file: "src/http/wire/log-requests.ts",
      from: "method: request.method,",
      to: "method: request.method, asked: request.raw.rawHeaders,",
    },
    ["the root key", "an account's first key", "an access token", "a key mistyped"],
  ],
  [
    "the settings of an attempt are logged",
    {
      file: "src/engine/delivery/attempt.ts",
      from: "const startedAt = clock.monotonic();",
      to: "const startedAt = clock.monotonic(); console.log(target, claim);",
    },
    [
      "a generated signing secret",
      "a header of a target",
      "the query of a target's url",
      "payload",
    ],
  ],
  [
    "the settings for one message are logged",
    {
      file: "src/targets/webhook/webhook-target.ts",
      from: "const plan = posts.planOf(settings);",
      to: "const plan = posts.planOf(settings); console.log(settings);",
    },
    ["a header of a message"],
  ],
];

describe.each(leaks)("%s", (_, bug, found) => {
  const subject = securitySubject({
    prepare: async () => (bug === null ? {} : envWith(bug)),
    dump: () => Promise.reject(new Error("not looked at")),
  });
  let secrets: Secrets;

  beforeAll(async () => {
    const { service } = subject;
    const [ofTarget, ofCallers] = await Promise.all([
      useTargetSecrets(subject, payload),
      useCredentials(subject),
    ]);
    secrets = { "the root key": rootKey, payload, ...ofTarget.secrets, ...ofCallers };
    const headers = { "x-request-id": "every-secret-was-used" };
    await service.ok("GET", "/v1/targets", { headers });
    await vi.waitFor(() => {
      if (!service.server.output().includes("every-secret-was-used")) throw new Error("not yet");
    }, patiently);
  }, 120_000);

  test("the search finds what reaches the log", () => {
    const leaked = secretsIn(subject.service.server.output(), secrets);
    if (bug === null) expect(leaked).toEqual([]);
    else expect(leaked).toEqual(expect.arrayContaining([...found]));
  });
});
