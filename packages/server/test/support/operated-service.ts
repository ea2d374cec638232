import type { ApiAnswer, CallOptions } from "./api.ts";
import { sharedService } from "./shared-service.ts";
import type { SharedService } from "./shared-service.ts";

export const operatorKey = "pdo_operator_of_the_test_suite";

export interface TestAccount {
  readonly accountId: string;
  /** The account's first key, which may do everything. */
  readonly key: string;
  /** Makes a call with that key that must succeed. Returns its body. */
  ok(method: string, path: string, body?: unknown): Promise<ApiAnswer["body"]>;
}

export interface OperatedService extends SharedService {
  /** A call with the operator's key. */
  operate(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** Makes a call with the operator's key that must succeed. Returns its body. */
  operated(method: string, path: string, body?: unknown): Promise<ApiAnswer["body"]>;
  /** Makes an account for one test. */
  account(settings?: Readonly<Record<string, unknown>>): Promise<TestAccount>;
}

/** A shared service that has an operator. The environment may come from an earlier `beforeAll`. */
export function operatedService(
  args: readonly string[] = [],
  env: () => Readonly<Record<string, string>> = () => ({}),
): OperatedService {
  const service = sharedService(() => ({
    args,
    env: { POSTDATE_OPERATOR_KEY: operatorKey, ...env() },
  }));
  const optionsOf = (key: string, body: unknown): CallOptions => ({ key, body });
  const operated: OperatedService["operated"] = (method, path, body) =>
    service.ok(method, path, optionsOf(operatorKey, body));
  const own: Pick<OperatedService, "operate" | "operated" | "account"> = {
    operate: (method, path, body) => service.api(method, path, optionsOf(operatorKey, body)),
    operated,
    async account(settings = {}) {
      const { accountId, key } = await operated("POST", "/v1/accounts", settings);
      const ok: TestAccount["ok"] = (method, path, body) =>
        service.ok(method, path, optionsOf(key, body));
      return { accountId, key, ok };
    },
  };
  // Copies the getters, because the parts exist only once the tests have begun.
  const parts = Object.getOwnPropertyDescriptors(service);
  return Object.defineProperties(own as OperatedService, parts);
}
