/** What may become of one statement on its way to the database, or of its answer. */
export type Intervention =
  /** It comes late. Nobody else's does. */
  | { readonly kind: "hold"; readonly forMs: number }
  /** It comes so long after its sender has given it up and closed the connection. */
  | { readonly kind: "deliver after close"; readonly afterMs: number }
  /** It is executed at once, and its answer comes late. */
  | { readonly kind: "hold answer"; readonly forMs: number }
  /** The connection breaks, and it never comes. */
  | { readonly kind: "cut" }
  /** It is executed, and the connection breaks before its answer. */
  | { readonly kind: "cut answer" }
  /** The sender's host is gone: no word from it any more, not even the end of a connection. */
  | { readonly kind: "vanish"; readonly isDelivered: boolean };

/** A statement as it comes by. */
export interface Statement {
  /** The prepared statement's name, or the text of one that has none. */
  readonly name: string;
  /** The statements before it in its transaction; null: it is in none. */
  readonly transaction: readonly string[] | null;
}

/** What was done to a statement, and how long its sender or the database had to wait. */
export interface Intervened {
  readonly statement: Statement;
  readonly intervention: Intervention;
  readonly at: number;
  readonly until: number;
}
