/** Runs a limited number of tasks at once. The others wait in line, without a timeout. */
export type Turnstile = <Answer>(work: () => Promise<Answer>) => Promise<Answer>;

export function createTurnstile(abreast: number): Turnstile {
  let inside = 0;
  const line: (() => void)[] = [];
  const leave = (): void => {
    const next = line.shift();
    // The next in line takes over the place, so the count stays.
    if (next === undefined) inside--;
    else next();
  };
  return async (work) => {
    if (inside < abreast) inside++;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
