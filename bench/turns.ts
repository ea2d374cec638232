import { setTimeout as sleep } from "node:timers/promises";

/** Measures each in turn (A B A B …), so that what the machine does meanwhile happens to all of them. */
export async function inTurns<Name extends string>(
  turns: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
  onMeasured: (turn: number, name: Name, value: number) => void,
  /** What one left to be written behind is not to be counted as the next one's. */
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
