export function textOf(time: number): string {
  return new Date(time).toISOString().slice(0, 23);
}
