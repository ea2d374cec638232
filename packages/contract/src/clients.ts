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
      description: "The widest scopes that a token of this client can have.",
    }),
    creationTime: time("When the client was created."),
    secretTime: time("When its current secret was made."),
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
  { $id: "ClientWithSecret", description: "A client with its current secret." },
);

export const CreateClient = Type.Object(
  {
    name: CreateKey.properties.name,
    scopes: Type.Array(CreateKey.properties.scopes.items, {
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      description:
        "The widest scopes that a token of this client can have; no more than the credential that creates the client.",
      examples: [["scheduler.messages.readwrite"]],
    }),
  },
  { ...strict, $id: "CreateClient", description: "A new client." },
);

export const RotateClientSecret = Type.Object(
  {
    overlapMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 86_400_000,
        description: "How long the old secret is also accepted; 24 hours by default.",
      }),
    ),
  },
  {
    ...strict,
    $id: "RotateClientSecret",
    description: "How to rotate the secret. The body may be left out.",
  },
);

export const ClientList = Type.Object(
  { items: Type.Array(named(Client)) },
  { $id: "ClientList", description: "All clients of the account." },
);

export const ClientPath = Type.Object({ clientId });
