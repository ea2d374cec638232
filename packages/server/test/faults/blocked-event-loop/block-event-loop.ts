import { once } from "node:events";
import type { ServerProcess } from "../../support/server-process.ts";

/** For a server whose event loop a test can block. Its debugger, if opened, uses any free port. */
export const blockableEnv: Readonly<Record<string, string>> = { NODE_OPTIONS: "--inspect-port=0" };

/**
 * Keeps the event loop of a running server busy for `forMs`, while its other threads continue. It uses the
 * debugger, which any Node process opens at a signal, so the server needs no code for it.
 */
export async function blockEventLoop(server: ServerProcess, forMs: number): Promise<Blocking> {
  const socket = new WebSocket(await openDebugger(server));
  await once(socket, "open");
  const answered = once(socket, "message");
  const started = `blocked for the ${++blocks}. time`;
  const expression = `process._rawDebug(${JSON.stringify(started)});
    for (const until = performance.now() + ${forMs}; performance.now() < until; );`;
  socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression } }));
  await whenSaid(server, () => server.output().includes(started));
  const end = async (): Promise<void> => {
    const [{ data }] = (await answered) as [{ readonly data: string }];
    if (data.includes("exceptionDetails")) throw new Error(`it was not blocked: ${data}`);
    socket.close();
    await once(socket, "close");
  };
  return { at: Date.now(), ended: end() };
}

let blocks = 0;

export interface Blocking {
  readonly at: number;
  readonly ended: Promise<void>;
}

/** The debugger's address, which the server prints once. */
async function openDebugger(server: ServerProcess): Promise<string> {
  const address = (): string | undefined =>
    /^Debugger listening on (\S+)/m.exec(server.output())?.[1];
  if (address() === undefined) server.process.kill("SIGUSR1");
  await whenSaid(server, () => address() !== undefined);
  return address()!;
}

async function whenSaid({ process: child }: ServerProcess, isSaid: () => boolean): Promise<void> {
  while (!isSaid()) await once(child.stderr!, "data");
}
