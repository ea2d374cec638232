/** What can happen to one statement on its way to the database, or to its answer. */
export type Intervention =
  /** The statement arrives late. No other statement does. */
  | { readonly kind: "hold"; readonly forMs: number }
  /** The statement arrives this long after its sender has given it up and closed the connection. */
  | { readonly kind: "deliver after close"; readonly afterMs: number }
  /** The database executes the statement at once, and its answer arrives late. */
  | { readonly kind: "hold answer"; readonly forMs: number }
  /** The connection breaks, and the statement never arrives. */
  | { readonly kind: "cut" }
  /** The database executes the statement, and the connection breaks before its answer. */
  | { readonly kind: "cut answer" }
  /** The sender's host is gone. Nothing comes from it any more, not even the end of a connection. */
  | { readonly kind: "vanish"; readonly isDelivered: boolean };

/** A statement that passes the proxy. */
export interface Statement {
  /** The prepared statement's name, or the text of an unnamed one. */
  readonly name: string;
  /** The earlier statements of its transaction. Null if it is in none. */
  readonly transaction: readonly string[] | null;
}

/** What happened to a statement, and how long its sender or the database had to wait. */
export interface Intervened {
  readonly statement: Statement;
  readonly intervention: Intervention;
  readonly at: number;
  readonly until: number;
}
