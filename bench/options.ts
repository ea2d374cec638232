import { parseArgs } from "node:util";
import type { StoreName } from "./figures/wanted.ts";

export interface BenchOptions {
  readonly store: StoreName;
  readonly nodes: number;
  readonly turns: number;
  /** How long scheduling is measured in one turn. */
  readonly measuredMs: number;
  readonly quick: boolean;
  /** How many connections call at once where calls are single. Undefined: as many as usual. */
  readonly callers?: number;
  /** How much longer a sync of the disk takes than it does. */
  readonly diskMs: number;
  /** How many messages of a spike are due at one instant. */
  readonly spike: number;
  /** How long each phase waits at most for a busy machine. */
  readonly quietMs: number;
  /** How long ended messages are kept in a soak. */
  readonly retentionSeconds: number;
  /** Null: no phases with a large backlog. */
  readonly pending: number | null;
  /** Null: all phases that fit the other options. */
  readonly phases: readonly string[] | null;
  readonly json: string | null;
  readonly plot: string | null;
  readonly profile: string | null;
}

const usage = `npm run bench -- [options]

  --store sqlite|postgres   the store to measure (default: sqlite)
  --nodes n                 servers on one PostgreSQL
  --callers n               callers of single calls (default: 64)
  --disk-ms n               makes each sync of the disk n milliseconds slower (Linux, with cc)
  --quick                   three short turns instead of five
  --turns n                 how many turns limit and service take
  --pending n               also with a backlog of n, such as 1000000 or 10000000
  --phases a,b              only some of the phases
  --retention s             of a soak, in seconds: it goes through ten such periods (default: 20)
  --json file               all figures, turn by turn
  --plot file               lateness as a picture (SVG)
  --profile folder          processor profiles of the server (--cpu-prof)`;

/** Throws a sentence that says what is wrong, or the usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      store: { type: "string", default: "sqlite" },
      nodes: { type: "string", default: "1" },
      turns: { type: "string" },
      callers: { type: "string" },
      "disk-ms": { type: "string", default: "0" },
      quick: { type: "boolean", default: false },
      pending: { type: "string" },
      phases: { type: "string" },
      retention: { type: "string" },
      json: { type: "string" },
      plot: { type: "string" },
      profile: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) throw new Error(usage);
  const { store, quick } = values;
  if (store !== "sqlite" && store !== "postgres") throw new Error("--store: sqlite or postgres");
  const nodes = wholeNumber("--nodes", values.nodes);
  if (store === "sqlite" && nodes > 1) throw new Error("--nodes: the embedded store has one");
  return {
    store,
    nodes,
    quick,
    turns: values.turns === undefined ? (quick ? 3 : 5) : wholeNumber("--turns", values.turns),
    measuredMs: quick ? 1_500 : 4_000,
    ...(values.callers !== undefined && { callers: wholeNumber("--callers", values.callers) }),
    diskMs: milliseconds("--disk-ms", values["disk-ms"]),
    spike: quick ? 10_000 : 20_000,
    quietMs: quick ? 5_000 : 30_000,
    retentionSeconds:
      values.retention === undefined
        ? quick
          ? 5
          : 20
        : wholeNumber("--retention", values.retention),
    pending: values.pending === undefined ? null : wholeNumber("--pending", values.pending),
    phases: values.phases?.split(",") ?? null,
    json: values.json ?? null,
    plot: values.plot ?? null,
    profile: values.profile ?? null,
  };
}

function milliseconds(name: string, text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1_000)) throw new Error(`${name}: milliseconds from 0 to 1000`);
  return value;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name}: a whole number from 1 on`);
  return value;
}
