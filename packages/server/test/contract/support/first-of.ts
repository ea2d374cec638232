/** The first `count` that settle. The others may still be under way, and their results do not matter. */
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
