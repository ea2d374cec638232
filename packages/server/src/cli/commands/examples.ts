/** The examples below a help text, each with its meaning. */
export function examples(
  ...lines: readonly (readonly [command: string, meaning: string])[]
): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  const rows = lines.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`);
  return `\nExamples:\n${rows.join("\n")}`;
}
