import type { Schedule } from "@postdate/client";
import type { Command } from "commander";
import type { Input } from "../surroundings/surroundings.ts";
import { messageOptionsOf } from "./message-options.ts";
import { readPayload } from "./read-payload.ts";
import { notAfterMsOf, type ScheduleFlags } from "./schedule-flags.ts";

/** What the messages of a schedule carry. */
export interface GivenMessage {
  readonly payload?: string;
  readonly message?: object;
}

export interface MessageSource {
  readonly argument: string | undefined;
  readonly stdin: Input;
  /** The options that the schedule has: those that are not given stay, and so do header values. */
  readonly own?: Schedule["message"];
}

/** Reads the payload and the options that are given; what is not given is left out. */
export async function givenMessageOf(
  command: Command,
  flags: ScheduleFlags,
  { argument, stdin, own = {} }: MessageSource,
): Promise<GivenMessage> {
  const { flex: _spreadsTheSchedule, file, ...ofMessages } = flags;
  if (argument === "-" && flags.headerFile === "-") {
    command.error("error: stdin is either the payload or the headers: put one into a file");
  }
  const givesPayload = argument !== undefined || file !== undefined;
  const payload = givesPayload ? await readPayload(command, { argument, file, stdin }) : undefined;
  const options = {
    ...(await messageOptionsOf(ofMessages, stdin, own.retryPolicy)),
    ...notAfterMsOf(flags),
  };
  const hasOptions = Object.keys(options).length > 0;
  return {
    ...(payload !== undefined && { payload }),
    ...(hasOptions && { message: { ...own, ...options } }),
  };
}
