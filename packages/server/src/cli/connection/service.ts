import type { Postdate } from "@postdate/client";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { ClientOptions } from "./client.ts";

/** The service, as commands call it. */
export interface Service {
  /** Throws `CommandFailed` for everything that is not a bug. */
  ask<Answer>(call: (postdate: Postdate) => Promise<Answer>): Promise<Answer>;
  /** Like `ask`. If there is no such thing, fails with this message, and for programs with this code. */
  find<Found>(
    call: (postdate: Postdate) => Promise<Found | null>,
    message: string,
    code?: string,
  ): Promise<Found>;
}

/** Loads the client with the first call: a command that runs a server may never make one. */
export function openService(options: ClientOptions): Service {
  let opened: Promise<Opened> | undefined;
  const ask: Service["ask"] = async (call) => {
    const { postdate, explained } = await (opened ??= open(options));
    try {
      return await call(postdate);
    } catch (error) {
      throw explained(error);
    }
  };
  return {
    ask,
    async find(call, message, code) {
      const found = await ask(call);
      if (found !== null) return found;
      const problems = code === undefined ? [] : [{ code, message }];
      throw new CommandFailed(exitCodes.notFound, message).because(problems);
    },
  };
}

interface Opened {
  readonly postdate: Postdate;
  readonly explained: (error: unknown) => unknown;
}

async function open(options: ClientOptions): Promise<Opened> {
  const { asCommandFailure, openClient } = await import("./client.ts");
  const url = options.url.replace(/\/+$/, "");
  const { advice } = options;
  return {
    postdate: openClient({ ...options, url }),
    explained: (error) => asCommandFailure(error, { url, advice }),
  };
}
