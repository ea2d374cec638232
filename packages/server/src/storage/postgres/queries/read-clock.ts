import type { Connections } from "../connections/connections.ts";

export async function readClock({ query }: Pick<Connections, "query">): Promise<number> {
  const [row] = await query({ name: "read-clock", text: "SELECT now_ms() AS now" });
  return row!["now"] as number;
}
