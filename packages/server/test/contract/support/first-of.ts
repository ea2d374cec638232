/** Those that come first. The others may still be under way, and nobody minds how they end. */
export function firstOf<T>(asked: readonly Promise<T>[], count: number): Promise<T[]> {
  const answered: T[] = [];
  return new Promise((resolve) => {
    for (const answer of asked) {
      answer.then(
        (each) => answered.push(each) === count && resolve(answered),
        () => {},
      );
    }
  });
}
