import type { SharedService } from "../support/shared-service.ts";

/** The CPU time that the server has used since its start, as it reports itself. */
export async function processorMs({ api }: Pick<SharedService, "api">): Promise<number> {
  const { text } = await api("GET", "/metrics", { key: null });
  const [, seconds] = /^process_cpu_seconds_total (\S+)$/m.exec(text) ?? [];
  if (seconds === undefined) throw new Error("the metrics do not tell the processor time");
  return Number(seconds) * 1_000;
}
