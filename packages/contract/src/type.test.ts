import { Type as TypeBox } from "typebox";
import { expect, test } from "vitest";
import { Type } from "./type.ts";

const build = (types: typeof Type) =>
  types.Object(
    {
      text: types.String({ maxLength: 3, description: "d" }),
      maybe: types.Optional(types.Integer({ minimum: 1 })),
      both: types.Optional(types.Unsafe<string | null>({ type: ["string", "null"] })),
      yes: types.Boolean(),
      share: types.Number(),
      none: types.Null({ description: "nothing" }),
      kind: types.Literal("webhook"),
      list: types.Array(types.Object({ only: types.Optional(types.String()) }), { maxItems: 2 }),
    },
    { $id: "Whole", additionalProperties: false },
  );

test("schemas equal those that TypeBox builds", () => {
  expect(JSON.stringify(build(Type))).toBe(JSON.stringify(build(TypeBox)));
});

test("making a field optional does not change the original schema", () => {
  const text = Type.String();
  expect(Type.Object({ a: Type.Optional(text), b: text })).toMatchObject({ required: ["b"] });
});
