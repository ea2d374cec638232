import { named, printable, strict, time } from "./fields.ts";
import { Type } from "./type.ts";

type ScopeName =
  | "scheduler.all.read"
  | "scheduler.all.readwrite"
  | "scheduler.messages.read"
  | "scheduler.messages.readwrite";

const scope = Type.Unsafe<ScopeName>({
  type: "string",
  enum: [
    "scheduler.all.read",
    "scheduler.all.readwrite",
    "scheduler.messages.read",
    "scheduler.messages.readwrite",
  ],
});

const keyId = Type.String({
  description: "Identifier of the key; not the key itself.",
  examples: ["key_4t9w2m7q1x8c5v3b6n0z"],
});

export const AccessKey = Type.Object(
  {
    keyId,
    name: Type.String({ description: "The name of the key." }),
    scopes: Type.Array(scope, { description: "What the key allows." }),
    creationTime: time("When the key was created."),
  },
  { $id: "AccessKey", description: "An API key, without the key itself." },
);

export const AccessKeyWithKey = Type.Object(
  {
    ...AccessKey.properties,
    key: Type.String({
      description:
        "The key. Send it as `Authorization: Bearer …`. It is shown here and never again.",
      examples: ["pd_bm90LWEtcmVhbC1rZXktanVzdC1hbi1leGFtcGxlLTEy"],
    }),
  },
  { $id: "AccessKeyWithKey", description: "A new API key." },
);

export const CreateKey = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: printable,
      description: "The name of the key: 1 to 100 characters, without control characters.",
      examples: ["billing worker"],
    }),
    scopes: Type.Array(scope, {
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      description: "What the key allows; no more than the credential that creates it.",
      examples: [["scheduler.messages.readwrite"]],
    }),
  },
  { ...strict, $id: "CreateKey", description: "A new key." },
);

export const AccessKeyList = Type.Object(
  { items: Type.Array(named(AccessKey)) },
  { $id: "AccessKeyList", description: "All keys of the account." },
);

export const KeyPath = Type.Object({ keyId });
