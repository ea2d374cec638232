import { expect, test } from "vitest";
import { status } from "../support/shared-service.ts";
import type { Subject } from "./subject.ts";

/** A target that the service may reach leads it to no other address, allowed or not. */
export function redirectsSuite({ service }: Subject): void {
  test.each([300, 301, 302, 303, 307, 308])("%i is a failure, and not followed", async (code) => {
    const locations = [
      "http://169.254.169.254/latest/meta-data/",
      "http://[::1]/",
      "file:///etc/passwd",
      `${service.receiver.url}/redirected`,
      "/redirected",
    ];
    for (const location of locations) {
      const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
      target.answerWith(status(code, { location }));
      const { messageId } = await target.schedule();
      await service.reaches(messageId, "DEAD_LETTER");
      const { attempts } = await service.ok("GET", `/v1/messages/${messageId}/attempts`);
      expect(attempts).toMatchObject([{ outcome: "BAD_STATUS", statusCode: code }]);
      expect(target.receipts()).toHaveLength(1);
    }
    expect(service.receiver.receipts.filter(({ path }) => path === "/redirected")).toEqual([]);
  });
}
