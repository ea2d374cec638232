import type { ScenarioRun } from "./run-scenario.ts";

/** What happened in the worlds that were played. Hours alone say little. */
export interface Tally {
  readonly worlds: number;
  readonly simulatedMs: number;
  readonly happenings: number;
  readonly messages: number;
  readonly attempts: number;
  readonly acknowledged: number;
  readonly lostAnswers: number;
  /** Nodes that crashed, were stopped or stood still. */
  readonly nodeFaults: number;
  /** Calls to the store that failed or took long. */
  readonly storeFaults: number;
}

export const noWorlds: Tally = {
  worlds: 0,
  simulatedMs: 0,
  happenings: 0,
  messages: 0,
  attempts: 0,
  acknowledged: 0,
  lostAnswers: 0,
  nodeFaults: 0,
  storeFaults: 0,
};

export function tallyOf({ history, simulatedMs, happenings }: ScenarioRun): Tally {
  const { asked, faults, receipts } = history;
  const answered = (kind: string): number =>
    asked.filter(({ answer }) => answer.kind === kind).length;
  const storeFaults = faults.filter(({ kind }) => kind === "store").length;
  const others = faults.filter(({ kind }) => kind === "takeover" || kind === "hang").length;
  return {
    worlds: 1,
    simulatedMs,
    happenings,
    messages: new Set(
      asked.flatMap(({ answer }) =>
        answer.kind === "ok" && "message" in answer ? answer.message.messageId : [],
      ),
    ).size,
    attempts: receipts.length,
    acknowledged: answered("ok"),
    lostAnswers: answered("unknown"),
    nodeFaults: faults.length - storeFaults - others,
    storeFaults,
  };
}

export function together(one: Tally, other: Tally): Tally {
  const names = Object.keys(one) as (keyof Tally)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as never;
}

export function describeTally(tally: Tally): string {
  const hours = tally.simulatedMs / 3_600_000;
  const anHour = (count: number): string => (count / hours).toFixed(1);
  return [
    `${tally.worlds} worlds, ${Math.round(hours)} simulated hours,`,
    `${tally.happenings} happenings, ${tally.messages} messages, ${tally.attempts} attempts,`,
    `${tally.nodeFaults} nodes down, stopped or frozen,`,
    `${tally.storeFaults} calls to the store failed or late, ${tally.lostAnswers} lost answers;`,
    `an hour had ${anHour(tally.messages)} messages, ${anHour(tally.attempts)} attempts`,
    `and ${anHour(tally.nodeFaults + tally.storeFaults)} faults`,
  ].join(" ");
}
