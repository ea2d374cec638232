import { beforeAll, describe, expect, test } from "vitest";
import { status } from "../support/shared-service.ts";
import { createClient, ownToken } from "./oauth-client.ts";
import type { Subject } from "./subject.ts";

const scopes = [
  "scheduler.all.read",
  "scheduler.all.readwrite",
  "scheduler.messages.read",
  "scheduler.messages.readwrite",
] as const;

const answered = "inner detail of what the target runs on";

/**
 * A target's answer may contain anything from inside its network, so only `scheduler.all.*` may read it.
 */
export function responsesSuite(subject: Subject): void {
  const { service } = subject;
  let targetId: string;
  const messageIds: string[] = [];

  beforeAll(async () => {
    const target = await service.target();
    targetId = target.targetId;
    for (const [code, state] of [
      [500, "DEAD_LETTER"],
      [200, "DELIVERED"],
    ] as const) {
      target.answerWith(status(code, { "x-detail": answered }, answered));
      const { messageId } = await target.schedule();
      await service.reaches(messageId, state);
      messageIds.push(messageId);
    }
  });

  describe.each<[string, (scope: string) => Promise<string>]>([
    [
      "a key",
      async (scope) => {
        const body = { name: scope, scopes: [scope] };
        return (await service.ok("POST", "/v1/keys", { body })).key;
      },
    ],
    [
      "a token",
      async (scope) => ownToken(subject, await createClient(subject, { scopes: [scope] })),
    ],
    ["a trusted token", (scope) => subject.issuer.token({ scope })],
  ])("%s", (_, credentialWith) => {
    test.each(scopes)("with %s", async (scope) => {
      const key = await credentialWith(scope);
      const mayRead = scope.startsWith("scheduler.all.");
      for (const [index, messageId] of messageIds.entries()) {
        const answer = await service.api("GET", `/v1/messages/${messageId}/attempts`, { key });
        expect(answer.status).toBe(200);
        expect(answer.body.attempts).toHaveLength(index === 0 ? 2 : 1);
        for (const attempt of answer.body.attempts) {
          expect(attempt.response).toBe(mayRead ? answered : null);
        }
        expect(answer.text.includes(answered)).toBe(mayRead);
      }
    });
  });

  test("no other route shows it to any caller", async () => {
    for (const path of [
      ...messageIds.flatMap((id) => [`/v1/messages/${id}`, `/v1/messages/${id}/payload`]),
      `/v1/targets/${targetId}`,
      `/v1/targets/${targetId}/scheduled-messages`,
      `/v1/targets/${targetId}/dead-letters`,
      "/v1/messages?limit=100",
      "/v1/audit-log?limit=100",
      "/v1/usage",
      "/metrics",
    ]) {
      const answer = await service.api("GET", path);
      expect(answer.status, path).toBe(200);
      expect(answer.text, path).not.toContain(answered);
    }
  });

  test("the log does not show it either, at its most detailed level", () => {
    const output = service.server.output();
    for (const messageId of messageIds) expect(output).toContain(messageId);
    expect(output).not.toContain(answered);
  });
}
