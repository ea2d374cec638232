import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Something that was started for tests, at an address. */
export interface Started {
  readonly url: string;
  stop(): Promise<void>;
}

export interface Desk {
  /** Where test files ask. */
  readonly url: string;
  /** Ends what was started, too. */
  close(): Promise<void>;
}

/**
 * Starts one thing for a whole test run, when the first file asks for it. Every file is answered with its
 * address. Test files run in other processes, so they ask by HTTP.
 */
export async function openDesk(start: () => Promise<Started>): Promise<Desk> {
  let started: Promise<Started> | undefined;
  const desk = createServer((_, response) => {
    started ??= start();
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(desk.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(desk.address() as AddressInfo).port}`,
    async close() {
      desk.close();
      desk.closeAllConnections();
      await (await started?.catch(() => undefined))?.stop();
    },
  };
}

/** The address that the desk answers with. */
export async function askDesk(url: string): Promise<string> {
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
