import type { Api, CallOptions } from "../../support/api.ts";

export interface KeepAskingOptions {
  readonly api: Api;
  readonly count: number;
  readonly method: string;
  readonly path: string;
  readonly call?: CallOptions;
}

/** `count` callers that repeat the same request, each as soon as it has an answer. */
export function keepAsking({ api, count, method, path, call }: KeepAskingOptions) {
  const statuses = new Map<number, number>();
  const over = new AbortController();
  const ask = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { status } = await api(method, path, call);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const callers = Array.from({ length: count }, ask);
  return {
    statuses: (): ReadonlyMap<number, number> => statuses,
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.allSettled(callers);
    },
  };
}
