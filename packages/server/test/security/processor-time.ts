import type { SharedService } from "../support/shared-service.ts";

/** How long the server has been on a processor since it started, by its own account. */
export async function processorMs({ api }: Pick<SharedService, "api">): Promise<number> {
  const { text } = await api("GET", "/metrics", { key: null });
  const [, seconds] = /^process_cpu_seconds_total (\S+)$/m.exec(text) ?? [];
  if (seconds === undefined) throw new Error("the metrics do not tell the processor time");
  return Number(seconds) * 1_000;
}
