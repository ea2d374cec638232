/** The status of each answer on a connection, in order. */
export function statusesIn(answers: string): number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
}
