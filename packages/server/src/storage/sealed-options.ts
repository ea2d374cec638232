import type { MessageOptions } from "../domain/message-options.ts";

/** What a store's query looks for before it reads the JSON of options: nothing but sealed headers has it. */
export const sealedMark = '"sealed":"';

/** The sealed headers in the JSON of a message's options; undefined: there are none. */
export function sealedInOptions(options: string): string | undefined {
  return (JSON.parse(options) as MessageOptions).headers?.sealed;
}

/** The same in the JSON of a recurring schedule. */
export function sealedInSchedule(schedule: string): string | undefined {
  return (JSON.parse(schedule) as { message: MessageOptions | null }).message?.headers?.sealed;
}

/** After so many values a slice ends. */
export const sealedAtOnce = 100;
