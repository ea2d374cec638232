import { SerializerSelector, type SerializerFactory } from "@fastify/fast-json-stringify-compiler";

type Serialiser = (answer: unknown) => string;
type NamedSchemas = Readonly<Record<string, unknown>>;

/**
 * Fastify asks for a serialiser for each status of each route, and building one reads every schema
 * that it is given. They are the same few over and over, the error answer above all: each is built
 * once, from what it refers to.
 */
export const buildSharedSerialisers: SerializerFactory = (namedSchemas, options) => {
  const factory = SerializerSelector();
  const built = new Map<string, Serialiser>();
  return (route) => {
    // What a schema says about itself does not change what it writes.
    const { description: _, ...shape } = route.schema as { readonly description?: string };
    const key = JSON.stringify(shape);
    let serialiser = built.get(key);
    if (serialiser === undefined) {
      const needed = referredTo(key, namedSchemas as NamedSchemas);
      serialiser = factory(needed, options)(route);
      built.set(key, serialiser);
    }
    return serialiser;
  };
};

/** The named schemas that a schema refers to, directly or through others. */
function referredTo(
  schemaText: string,
  namedSchemas: NamedSchemas,
  found: Record<string, unknown> = {},
): NamedSchemas {
  for (const [, name = ""] of schemaText.matchAll(/"\$ref":"([^"#]+)#/g)) {
    const schema = namedSchemas[name];
    if (schema === undefined || found[name] !== undefined) continue;
    found[name] = schema;
    referredTo(JSON.stringify(schema), namedSchemas, found);
  }
  return found;
}
