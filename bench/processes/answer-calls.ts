import { keepTickShape } from "../../packages/server/src/platform/tick-shape.ts";

/** The calls that a process of the benchmark answers. Arguments and results are sent as JSON. */
export type Calls = Record<string, (argument: never) => unknown>;

export interface Call {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: string;
}

/** The child's side of `startChild`. Ends the process when its parent has ended. */
export function answerCalls(calls: Calls): void {
  // The service does this too. A limit that slows down at a random moment is not a limit.
  keepTickShape();
  process.on("message", ({ id, name, argument }: Call) => {
    const answer = (answered: Omit<Answer, "id">): void => void process.send?.({ id, ...answered });
    const run = async (): Promise<unknown> => calls[name]!(argument as never);
    run().then(
      (result) => answer({ result }),
      (error: unknown) =>
        answer({ failure: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}
