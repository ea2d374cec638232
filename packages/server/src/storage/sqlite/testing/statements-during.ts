import { StatementSync } from "node:sqlite";
import { vi } from "vitest";

const methods = ["get", "all", "run", "iterate"] as const;

/** The SQL of each statement that runs during the work, in their order. */
export function statementsDuring(work: () => void): string[] {
  const ran: string[] = [];
  const spies = methods.map((method) => {
    const original = StatementSync.prototype[method] as (...values: unknown[]) => unknown;
    const spy = vi.spyOn(StatementSync.prototype, method) as ReturnType<typeof vi.fn>;
    return spy.mockImplementation(function (this: StatementSync, ...values: unknown[]) {
      ran.push(this.sourceSQL);
      return original.apply(this, values);
    });
  });
  try {
    work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return ran;
}
