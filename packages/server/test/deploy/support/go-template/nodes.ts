/** What a template is made of, as far as our chart needs it. */
export type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print"; readonly pipe: Pipe }
  | { readonly kind: "set"; readonly variable: string; readonly pipe: Pipe }
  | { readonly kind: "if" | "with"; readonly branches: readonly Branch[] }
  | {
      readonly kind: "range";
      readonly names: readonly string[];
      readonly branches: readonly Branch[];
    }
  | { readonly kind: "define"; readonly name: string; readonly body: readonly Node[] };

/** The last one of an `else` has no condition. */
export interface Branch {
  readonly pipe: Pipe | null;
  readonly body: readonly Node[];
}

/** `a | b x`: each command gets the value before it as its last argument. */
export type Pipe = readonly (readonly Operand[])[];

export type Operand =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "name"; readonly name: string }
  /** `.a.b` (root ""), `$.a` (root "$"), `$x.a` (root "$x"). */
  | { readonly kind: "field"; readonly root: string; readonly path: readonly string[] }
  | { readonly kind: "pipe"; readonly pipe: Pipe };
