/** A line for the user about how something was understood. */
export interface Remark {
  readonly text: string;
  /** It is likely not what the user meant, so a script's log should have it too. */
  readonly isSurprise: boolean;
}

export function remark(text: string, isSurprise = false): Remark {
  return { text, isSurprise };
}
