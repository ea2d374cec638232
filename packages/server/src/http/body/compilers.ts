import { AjvCompiler } from "@fastify/ajv-compiler";
import type { BuildCompilerFromPool } from "@fastify/ajv-compiler";
import { SerializerSelector, type SerializerFactory } from "@fastify/fast-json-stringify-compiler";
import { BatchResults, EventList, Message, named } from "@postdate/contract";
import { writeBatch } from "../wire/wire-batch.ts";
import { writeEventList } from "../wire/wire-events.ts";
import { writeMessage } from "../wire/wire-messages.ts";

/**
 * Fastify asks for a validator for each part of each route, and for a serialiser for each of its statuses.
 * Compiling them all would take a third of the time until the server is ready, and most servers see only
 * a few operations. So each is compiled when it is first needed.
 */

type Validator = ReturnType<ReturnType<BuildCompilerFromPool>>;

export const validatorOptions = {
  allErrors: true,
  // Errors come with their schemas: of an unknown field, the answer says which is meant.
  verbose: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  discriminator: true,
  allowUnionTypes: true,
  // Formats are documentation only. The domain checks times and addresses, and says what is wrong.
  validateFormats: false,
  // A test holds the contract's schemas valid. Checking them again would delay every start.
  meta: false,
  validateSchema: false,
} as const;

export const buildValidators: BuildCompilerFromPool = (namedSchemas, options) => {
  const compile = AjvCompiler()(namedSchemas, options);
  return (route) => {
    let compiled: Validator | undefined;
    const validate = ((data: unknown) => {
      compiled ??= compile(route);
      const valid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return valid;
    }) as Validator;
    return validate;
  };
};

type Serialiser = (answer: unknown) => string;
type NamedSchemas = Readonly<Record<string, unknown>>;

const written = {
  message: JSON.stringify(named(Message)),
  batch: JSON.stringify(named(BatchResults)),
  events: JSON.stringify(named(EventList)),
};

/**
 * Many routes have answers of the same shape, above all the error answer. Answers of one shape share one
 * serialiser. Those for messages, for batches of them and for events are written by hand.
 */
export const buildSerialisers: SerializerFactory = (namedSchemas, options) => {
  const factory = SerializerSelector();
  const known = new Map<string, Serialiser>([
    [written.message, writeMessage as Serialiser],
    [written.batch, writeBatch as Serialiser],
    [written.events, writeEventList as Serialiser],
  ]);
  return (route) => {
    // The description does not change the output.
    const { description: _, ...shape } = route.schema as { readonly description?: string };
    const key = JSON.stringify(shape);
    let serialiser = known.get(key);
    if (serialiser === undefined) {
      let compiled: Serialiser | undefined;
      serialiser = (answer) => {
        compiled ??= factory(referredTo(key, namedSchemas as NamedSchemas), options)(route);
        return compiled(answer);
      };
      known.set(key, serialiser);
    }
    return serialiser;
  };
};

/** The named schemas that a schema refers to, directly or through others. The compiler reads all it is given. */
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
