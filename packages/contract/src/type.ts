import type { Type as TypeBox } from "typebox";

type Schema = Readonly<Record<string, unknown>>;
type Used =
  | "Array"
  | "Boolean"
  | "Integer"
  | "Literal"
  | "Null"
  | "Number"
  | "Object"
  | "Optional"
  | "String"
  | "Unsafe";

const optional = Symbol("optional");

/**
 * TypeBox's types over the few of its builders that we use. Loading the library takes a fifth of a
 * second, which every start of the server would pay.
 */
export const Type = {
  Array: (items: Schema, options?: Schema) => ({ type: "array", items, ...options }),
  Boolean: plain("boolean"),
  Integer: plain("integer"),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: plain("null"),
  Number: plain("number"),
  Object(properties: Readonly<Record<string, Schema>>, options?: Schema) {
    const required = Object.entries(properties)
      .filter(([, schema]) => !(optional in schema))
      .map(([name]) => name);
    return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, optional, { value: true }),
  String: plain("string"),
  Unsafe: (schema: Schema) => schema,
} as unknown as Pick<typeof TypeBox, Used>;

function plain(type: string) {
  return (options?: Schema): Schema => ({ type, ...options });
}
