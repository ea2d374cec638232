import type { ApiAnswer, CallOptions } from "./api.ts";
import { operatorKey } from "./server-process.ts";
import { extended, sharedService } from "./shared-service.ts";
import type { ScriptedService, SharedService } from "./shared-service.ts";

export interface TestAccount {
  readonly accountId: string;
  /** The account's first key, which may do everything. */
  readonly key: string;
  /** Makes a call with that key that must succeed. Returns its body. */
  ok(method: string, path: string, body?: unknown): Promise<ApiAnswer["body"]>;
}

/** What the operator of a service can do. */
export interface Operating {
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
): SharedService & Operating {
  return withOperator(
    sharedService(() => ({ args, env: { POSTDATE_OPERATOR_KEY: operatorKey, ...env() } })),
  );
}

/** The server of this service has `operatorKey`. */
export function withOperator<Service extends ScriptedService>(
  service: Service,
): Service & Operating {
  const optionsOf = (key: string, body: unknown): CallOptions => ({ key, body });
  const operated: Operating["operated"] = (method, path, body) =>
    service.ok(method, path, optionsOf(operatorKey, body));
  const operating: Operating = {
    operate: (method, path, body) => service.api(method, path, optionsOf(operatorKey, body)),
    operated,
    async account(settings = {}) {
      const { accountId, key } = await operated("POST", "/v1/accounts", settings);
      const ok: TestAccount["ok"] = (method, path, body) =>
        service.ok(method, path, optionsOf(key, body));
      return { accountId, key, ok };
    },
  };
  return extended(service, operating);
}
