import { beforeAll, expect } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { expectRefusal } from "../support/expectations.ts";
import type { Subject } from "./subject.ts";

/**
 * An action that only `scheduler.all.readwrite` of the default account allows, with a visible effect:
 * pausing a target.
 */
export interface Door {
  readonly path: string;
  push(key: string | null, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  expectOpens(key: string): Promise<void>;
  /** Expects 401 and no effect. */
  expectShut(key: string): Promise<void>;
  /** Expects 403 and no effect: the credential is valid but allows too little. */
  expectForbidden(key: string): Promise<void>;
  expectUntouched(): Promise<void>;
}

export function makeDoor({ service }: Subject): Door {
  let target: string;
  beforeAll(async () => {
    target = `/v1/targets/${(await service.target()).targetId}`;
  });

  const push: Door["push"] = (key, headers = {}) =>
    service.api("POST", `${target}/pause`, { key, headers });
  const expectUntouched = async (): Promise<void> => {
    const { paused } = await service.ok("GET", target);
    // Resumes the target, so that one credential that wrongly got through does not fail every later test.
    if (paused) await service.ok("POST", `${target}/resume`);
    expect(paused).toBe(false);
  };
  return {
    get path() {
      return `${target}/pause`;
    },
    push,
    expectUntouched,
    async expectOpens(key) {
      const answer = await push(key);
      expect(answer.status, answer.text).toBe(200);
      expect((await service.ok("POST", `${target}/resume`)).paused).toBe(false);
    },
    async expectShut(key) {
      const answer = await push(key);
      await expectUntouched();
      expectRefusal(answer, 401, { code: "E-DI-2001" });
      expect(answer.headers.get("www-authenticate")).toBe(
        'Bearer realm="postdate", error="invalid_token"',
      );
    },
    async expectForbidden(key) {
      const answer = await push(key);
      await expectUntouched();
      expectRefusal(answer, 403, { code: "E-DI-2002" });
      expect(answer.headers.get("www-authenticate")).toBe(
        'Bearer realm="postdate", error="insufficient_scope", scope="scheduler.all.readwrite"',
      );
    },
  };
}
