import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Answer, Call, Calls } from "./answer-calls.ts";

export interface Child<C extends Calls> {
  readonly pid: number;
  call<N extends keyof C & string>(
    name: N,
    argument: Parameters<C[N]>[0],
  ): Promise<Awaited<ReturnType<C[N]>>>;
  close(): Promise<void>;
}

/** A separate process, so that the benchmark shares no event loop with what it measures. */
export function startChild<C extends Calls>(file: string): Child<C> {
  const child = fork(join(import.meta.dirname, "..", file), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const exited = once(child, "exit").then(([code]) => {
    for (const one of waiting.values()) one.reject(new Error(`${file} ended with ${code}`));
  });
  let calls = 0;
  child.on("message", ({ id, result, failure }: Answer) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (failure === undefined) one?.resolve(result);
    else one?.reject(new Error(failure));
  });
  return {
    pid: child.pid!,
    call(name, argument) {
      const answered = Promise.withResolvers<unknown>();
      const call: Call = { id: ++calls, name, argument };
      waiting.set(call.id, answered);
      child.send(call);
      return answered.promise as never;
    },
    async close() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
