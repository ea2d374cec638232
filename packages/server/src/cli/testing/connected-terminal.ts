import { onTestFinished } from "vitest";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { answeringService, type Answer, type Asked } from "./answering-service.ts";
import { openTerminal, type Terminal } from "./command-line.ts";

export interface ConnectedTerminal extends Terminal {
  readonly asked: Asked[];
  /** Closes the service. Nothing listens at the address after that. */
  closeService(): Promise<void>;
}

/** A terminal whose environment names a service that gives the answers of the test. */
export async function connected(
  answer: (asked: Asked, index: number) => Answer,
  changes: Partial<Surroundings> = {},
  columns?: number,
): Promise<ConnectedTerminal> {
  const service = await answeringService(answer);
  let closed: Promise<void> | undefined;
  const closeService = (): Promise<void> => (closed ??= service.close());
  onTestFinished(closeService);
  const env = {
    POSTDATE_URL: service.url,
    POSTDATE_KEY: "pd_0123456789abcdef",
    POSTDATE_OPERATOR_KEY: "pdo_0123456789abcdef",
  };
  return { ...openTerminal({ env, ...changes }, columns), asked: service.asked, closeService };
}
