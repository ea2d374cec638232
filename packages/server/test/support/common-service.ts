import { inject } from "vitest";
import { askDesk } from "../../src/platform/testing/open-desk.ts";
import { apiOf } from "./api.ts";
import { withOperator } from "./operated-service.ts";
import type { Operating } from "./operated-service.ts";
import { operatorKey } from "./server-process.ts";
import { scriptedService } from "./shared-service.ts";
import type { ScriptedService } from "./shared-service.ts";

/**
 * A new account for all tests of a file, on the server that all files of this run share. Other files use
 * that server at the same time.
 */
export function commonService(): ScriptedService & Operating {
  return withOperator(
    scriptedService(async (onEnd) => {
      const url = await askDesk(inject("serverDesk"));
      const operate = apiOf(url, operatorKey);
      const { status, text, body } = await operate("POST", "/v1/accounts", { body: {} });
      if (status !== 200) throw new Error(`no account: ${status} ${text}`);
      // What a test left due must not reach the receiver of another file that gets the same port later.
      onEnd(() => operate("POST", `/v1/accounts/${body.accountId}/suspend`));
      return { url, key: body.key as string };
    }),
  );
}
