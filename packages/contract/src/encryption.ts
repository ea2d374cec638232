import type { Static, TObject } from "typebox";
import { named, textOrNull, time, timeOrNull } from "./fields.ts";
import { Type } from "./type.ts";

const keyId = Type.String({
  description:
    "Identifier of an encryption key. It follows from the key, and tells nothing about it.",
  examples: ["key_3f9a1c7e5b20"],
});

export const EncryptionKeyUse = Type.Object(
  {
    keyId,
    values: Type.Integer({ description: "How many values in the store the key seals." }),
    inUse: Type.Boolean({
      description: "Whether servers need the key. If not, it may be taken out of their settings.",
    }),
  },
  { $id: "EncryptionKeyUse", description: "An encryption key, and what it seals." },
);

const rotationFields = {
  keyId,
  state: Type.Unsafe<"RUNNING" | "DONE">({
    type: "string",
    enum: ["RUNNING", "DONE"],
    description: "Whether values are being sealed anew, or nothing needs the keys before any more.",
  }),
  startTime: time("When the exchange began."),
  endTime: timeOrNull("When the exchange ended; null while it is under way."),
  rewritten: Type.Integer({ description: "How many values were sealed anew so far." }),
  unreadable: Type.Integer({
    description:
      "How many values no key at hand opens, in the present look at all of them. The exchange does not end before this is 0.",
  }),
};

export const Encryption = Type.Object(
  {
    keyId,
    keys: Type.Array(named(EncryptionKeyUse)),
    exact: Type.Boolean({
      description: "False: there are at least so many values, and counting goes on.",
    }),
    asOf: time("When the values were counted."),
    nodes: Type.Array(
      Type.Object({
        nodeId: Type.String({ description: "The node's name.", examples: ["postdate-1:1"] }),
        keyId: textOrNull("The key that it seals with; null: its version does not say."),
      }),
      { description: "The nodes that are alive." },
    ),
    rotation: Type.Unsafe<Static<TObject<typeof rotationFields>> | null>({
      ...Type.Object(rotationFields),
      type: ["object", "null"],
      description: "The latest exchange of the encryption key; null: there was none.",
    }),
  },
  { $id: "Encryption", description: "How secrets are sealed in the store." },
);
