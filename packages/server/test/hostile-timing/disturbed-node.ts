import type { Fault } from "../history/faults.ts";
import type { ServerProcess } from "../support/server-process.ts";
import type { Intervened, Intervention, Statement } from "./interventions.ts";
import type { PlannedIntervention } from "./plan.ts";
import { proxyTo } from "./statement-proxy.ts";
import type { StatementProxy } from "./statement-proxy.ts";

/** A node joins or renews its lease with these statements. */
const joining = "join-node";
const lifelines = new Set([joining, "end-earlier-memberships", "read-clock", "renew-node"]);

/** A node behind its own proxy, with the interventions that are planned for its statements. */
export class DisturbedNode implements AsyncDisposable {
  readonly #name: string;
  readonly #faults: Fault[];
  readonly #planned: PlannedIntervention[];
  #proxy!: StatementProxy;
  #server: ServerProcess | undefined;
  #begunAt = Infinity;
  #isGone = false;

  private constructor(name: string, planned: readonly PlannedIntervention[], faults: Fault[]) {
    this.#name = name;
    this.#planned = [...planned];
    this.#faults = faults;
  }

  static async prepare(
    name: string,
    databaseUrl: string,
    planned: readonly PlannedIntervention[],
    faults: Fault[],
  ): Promise<DisturbedNode> {
    const node = new DisturbedNode(name, planned, faults);
    node.#proxy = await proxyTo(databaseUrl, {
      intervene: (statement) => node.#intervene(statement),
      onIntervened: (intervened) => node.#note(intervened),
      onVanished: () => node.#vanish(),
    });
    return node;
  }

  get databaseUrl(): string {
    return this.#proxy.url;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Planned interventions that did not happen although the node ran, because no such statement came. */
  get unmet(): readonly PlannedIntervention[] {
    return this.#isGone ? [] : this.#planned;
  }

  /** Starts the time of the plan. */
  begin(server: ServerProcess): void {
    this.#server = server;
    this.#begunAt = Date.now();
  }

  /** Stops new interventions. Resolves when those under way are over. */
  async end(): Promise<void> {
    this.#begunAt = Infinity;
    await this.#proxy.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
  }

  #intervene({ name, transaction }: Statement): Intervention | null {
    const now = Date.now();
    if (name === joining && this.#server !== undefined) {
      this.#faults.push({ kind: "takeover", node: this.#name, at: now });
    }
    const due = this.#planned.findIndex(
      ({ afterMs, statement, inTransaction }) =>
        statement === name &&
        this.#begunAt + afterMs <= now &&
        (transaction !== null || !inTransaction),
    );
    return due < 0 ? null : this.#planned.splice(due, 1)[0]!.intervention;
  }

  #note({ statement, intervention, at, until }: Intervened): void {
    if (intervention.kind === "vanish") return;
    const { name, transaction } = statement;
    const keepsAlive = [name, ...(transaction ?? [])].some((each) => lifelines.has(each));
    this.#faults.push({
      kind: "statement",
      node: this.#name,
      at,
      until,
      statement: `${name} (${intervention.kind})`,
      keepsAlive,
    });
  }

  #vanish(): void {
    this.#isGone = true;
    this.#server?.process.kill("SIGKILL");
    this.#faults.push({ kind: "crash", node: this.#name, at: Date.now(), backAt: null });
  }
}
