import { logLines } from "../../platform/log-lines.ts";

/** The rows of the table of log lines in `docs/operations/monitoring.md`. */
export function logTable(): string {
  const rows = Object.entries(logLines).map(
    ([line, { levels, means }]) => `| \`${line}\` | ${levels} | ${means} |`,
  );
  return ["| Line | Level | Means |\n|---|---|---|", ...rows].join("\n");
}

/** What the page says between these marks is this table. */
export function withLogTable(page: string): string {
  return page.replace(
    /(<!-- log lines: npm run docs:reference -->\n\n)[^]*?(<!-- end -->)/,
    (_all, begin: string, end: string) => `${begin}${logTable()}\n\n${end}`,
  );
}
