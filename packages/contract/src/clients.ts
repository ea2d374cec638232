import { named, strict, time } from "./fields.ts";
import { AccessKey, CreateKey } from "./keys.ts";
import { Type } from "./type.ts";

const clientId = Type.String({
  description: "Identifier of the client: its `client_id`.",
  examples: ["cli_4t9w2m7q1x8c5v3b6n0z"],
});

export const Client = Type.Object(
  {
    clientId,
    name: AccessKey.properties.name,
    scopes: Type.Array(AccessKey.properties.scopes.items, {
      description: "The most that a token of it can carry.",
    }),
    creationTime: time("When it was created."),
    secretTime: time("When the secret that it has now was made."),
  },
  { $id: "Client", description: "An OAuth 2.0 client, without its secret." },
);

export const ClientWithSecret = Type.Object(
  {
    ...Client.properties,
    clientSecret: Type.String({
      description: "Its `client_secret`. It is shown here and never again.",
      examples: ["pds_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hbi1leGFtcGxl"],
    }),
  },
  { $id: "ClientWithSecret", description: "A client, with the secret that it has now." },
);

export const CreateClient = Type.Object(
  {
    name: CreateKey.properties.name,
    scopes: Type.Array(CreateKey.properties.scopes.items, {
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      description:
        "The most that a token of it can carry; no more than the credential that creates it.",
      examples: [["scheduler.messages.readwrite"]],
    }),
  },
  { ...strict, $id: "CreateClient", description: "A client to be made." },
);

export const RotateClientSecret = Type.Object(
  {
    overlapMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 86_400_000,
        description: "How long the old secret is accepted as well; 24 hours by default.",
      }),
    ),
  },
  {
    ...strict,
    $id: "RotateClientSecret",
    description: "How to rotate the secret; may be left out.",
  },
);

export const ClientList = Type.Object(
  { items: Type.Array(named(Client)) },
  { $id: "ClientList", description: "Every client of the account." },
);

export const ClientPath = Type.Object({ clientId });
