import type { Operator } from "../../../src/domain/access.ts";
import type { Operations } from "../../../src/operations/operations.ts";
import type { Asked } from "../../history/history.ts";
import type { Move } from "../world/moves.ts";
import { callByKey, changeMessage, getMessage } from "./message-calls.ts";
import { schedule, scheduleBatch } from "./schedule-calls.ts";
import { operator, ServiceLine } from "./service-line.ts";
import type { ServiceLineOptions } from "./service-line.ts";
import { walkList } from "./walk.ts";

/** A call about an account or one of its targets. */
export interface Managed {
  readonly accountId: string;
  /** Null if the call is about the account. */
  readonly targetId: string | null;
  readonly change: Extract<Move, { kind: "account" | "target" }>["change"];
  readonly askedAt: number;
  readonly answeredAt: number;
  /** False if the answer was lost. */
  readonly isCertain: boolean;
}

/** The moves that callers make. */
export type CallMove = Extract<
  Move,
  {
    kind:
      | "schedule"
      | "batch"
      | "cancel"
      | "reschedule"
      | "get"
      | "get by key"
      | "cancel by key"
      | "reschedule by key"
      | "walk";
  }
>;

/** The callers of the service. They log their calls and the answers. */
export class Callers {
  readonly #line: ServiceLine;
  readonly managed: Managed[] = [];
  #walks = 0;

  constructor(options: ServiceLineOptions) {
    this.#line = new ServiceLine(options);
  }

  get asked(): readonly Asked[] {
    return this.#line.asked;
  }

  /** Errors other than refusals and an unavailable store. Each of them is a bug. */
  get bugs(): readonly string[] {
    return this.#line.bugs;
  }

  /** From here on, callers do not repeat a call whose answer was lost. */
  giveUp(): void {
    this.#line.gaveUp = true;
  }

  goOn(): void {
    this.#line.gaveUp = false;
  }

  /** Ends the run. Callers without an answer will never get one. */
  hangUp(): Promise<void> {
    return this.#line.hangUp();
  }

  make(move: CallMove): Promise<void> {
    const line = this.#line;
    switch (move.kind) {
      case "schedule":
        return schedule(line, move);
      case "batch":
        return scheduleBatch(line, move);
      case "cancel":
      case "reschedule":
        return changeMessage(line, move);
      case "get":
        return getMessage(line, move);
      case "walk":
        return walkList(line, move, `walk ${++this.#walks}`);
      default:
        return callByKey(line, move);
    }
  }

  /** Repeats a call that is not about a message until it succeeds. */
  async manage(
    { accountId, targetId, change }: Pick<Managed, "accountId" | "targetId" | "change">,
    work: (operations: Operations, operator: Operator) => Promise<unknown>,
  ): Promise<void> {
    const line = this.#line;
    while (!line.gaveUp) {
      const askedAt = line.now();
      const what = `${change} ${targetId ?? accountId}`;
      const answer = await line.ask(what, (operations) => work(operations, operator));
      if (answer.kind !== "unasked") {
        const answered = { answeredAt: line.now(), isCertain: answer.kind !== "unknown" };
        this.managed.push({ accountId, targetId, change, askedAt, ...answered });
      }
      if (answer.kind === "ok" || answer.kind === "refused") return;
      await line.pause(200);
    }
  }
}
