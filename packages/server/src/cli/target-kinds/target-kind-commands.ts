import type { Target } from "@postdate/client";
import type { Option } from "commander";
import type { Example } from "../help/help-text.ts";

/** A target of any kind. The settings of its kind are known to `TargetKindCommands`. */
export type AnyTarget = Pick<
  Target,
  | "targetId"
  | "kind"
  | "retryPolicy"
  | "maxConcurrency"
  | "rateLimit"
  | "paused"
  | "failingAfter"
  | "creationTime"
  | "updateTime"
> & {
  /** Only in the answer that made it. */
  readonly secret?: string;
};

/** One line of a printed card: a setting's title and its value. */
export type Row = readonly [title: string, value: string];

/** Options by name, as commander has parsed them. */
export type ReadOptions = Readonly<Record<string, unknown>>;

/** A new target has the first kind unless the caller names another. */
export type TargetKindList = readonly [TargetKindCommands, ...TargetKindCommands[]];

/**
 * How one kind of target appears on the command line. Two kinds may share a flag if it sets the same field
 * in both.
 */
export interface TargetKindCommands {
  readonly kind: string;
  /** What the kind does with a message, for the help text. */
  readonly receives: string;
  /** The field that the address of `target add <address>` sets. */
  readonly addressField: string;
  /** The title of a column of addresses. */
  readonly addressTitle: string;
  /** The target makes no further attempt after these statuses, whatever its retry policy says. */
  readonly finalStatuses: readonly number[];
  addressOf(target: AnyTarget): string;
  /** The flags of `target add` and `target update`. Each call makes new ones, one set for each command. */
  flags(): readonly Option[];
  /** The flags of `target update` only. */
  changeFlags(): readonly Option[];
  /** What `target update --help` says of the kind's flags. */
  readonly changeHelp: {
    /** The flags that accept `default`. */
    readonly flagsWithDefault: readonly string[];
    readonly text: string;
    readonly examples: readonly Example[];
  };
  /** The request fields that the flags set. Null asks for the default. */
  fieldsOf(options: ReadOptions): Readonly<Record<string, unknown>>;
  /** The target's settings, one row each. */
  rowsOf(target: AnyTarget): readonly Row[];
  /**
   * Titles of the rows whose values are hidden and that these flags replace. The printed row looks the same
   * before and after such a change.
   */
  rewrittenRows(options: ReadOptions): readonly string[];
}

/** The name of the address argument in a command's usage line. */
export function addressName([first, ...others]: TargetKindList): string {
  return others.length === 0 ? first.addressField : "address";
}
