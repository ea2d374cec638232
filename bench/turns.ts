import { setTimeout as sleep } from "node:timers/promises";

/** Measures each in turn (A B A B …), so that disturbances of the machine affect all of them. */
export async function inTurns<Name extends string>(
  turns: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
  onMeasured: (turn: number, name: Name, value: number) => void,
  /** Waits, so that delayed writes of one do not count for the next. */
  settlingMs = 400,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(measures) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let turn = 1; turn <= turns; turn++) {
    for (const name of names) {
      const value = await measures[name]();
      measured[name].push(value);
      onMeasured(turn, name, value);
      await sleep(settlingMs);
    }
  }
  return measured;
}
