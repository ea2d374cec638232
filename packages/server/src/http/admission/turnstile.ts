/** Lets so many through at a time; the others wait in line for as long as that takes. */
export type Turnstile = <Answer>(work: () => Promise<Answer>) => Promise<Answer>;

export function createTurnstile(abreast: number): Turnstile {
  let inside = 0;
  const line: (() => void)[] = [];
  const leave = (): void => {
    const next = line.shift();
    // Whoever is next takes over the place of the one that leaves.
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
