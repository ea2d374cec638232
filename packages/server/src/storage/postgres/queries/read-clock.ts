import type { Run } from "../connections/connections.ts";

export async function readClock(run: Run): Promise<number> {
  const [row] = await run({ name: "read-clock", text: "SELECT now_ms() AS now" });
  return row!["now"] as number;
}
