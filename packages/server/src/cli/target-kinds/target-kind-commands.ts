import type { Option } from "commander";
import type { WireTarget } from "../wire.ts";

/** A line of a card: what a setting is called, and its value. */
export type Row = readonly [title: string, value: string];

/** Options as commander reads them, by their names. */
export type ReadOptions = Readonly<Record<string, unknown>>;

/** The first is the kind of a new target by default. */
export type TargetKindList = readonly [TargetKindCommands, ...TargetKindCommands[]];

/**
 * How one kind of target appears on the command line. Two kinds may have the same flag, where it sets the
 * same field in both.
 */
export interface TargetKindCommands {
  readonly kind: string;
  /** What becomes of messages to a target of this kind, for the help. */
  readonly receives: string;
  /** The field that the address of `target add <address>` sets. */
  readonly addressField: string;
  /** The title of a column of addresses. */
  readonly addressTitle: string;
  /** Statuses after which it makes no further attempt, whatever the target's policy says. */
  readonly finalStatuses: readonly number[];
  addressOf(target: WireTarget): string;
  /** The flags of a new target and of a change, made again for each command. */
  flags(): readonly Option[];
  /** The flags of a change alone. */
  changeFlags(): readonly Option[];
  /** What `target update --help` says of the kind's flags. */
  readonly changeHelp: {
    /** Those that take `default`. */
    readonly flagsWithDefault: readonly string[];
    readonly text: string;
    readonly examples: readonly (readonly [command: string, meaning: string])[];
  };
  /** What the flags ask for, as fields of a request. Null: the default. */
  fieldsOf(options: ReadOptions): Readonly<Record<string, unknown>>;
  /** Its settings, each on a line. */
  rowsOf(target: WireTarget): readonly Row[];
  /** Titles of the rows whose hidden values the flags replace: a change cannot be seen in them. */
  rewrittenRows(options: ReadOptions): readonly string[];
}

/** What the address of a target is called in the usage of a command. */
export function addressName([first, ...others]: TargetKindList): string {
  return others.length === 0 ? first.addressField : "address";
}
