import { named, strict, time } from "./fields.ts";
import { Type } from "./type.ts";

const inBody = "Send id and secret either here or in `Authorization: Basic …`, never in both.";
const clientId = Type.Optional(
  Type.String({
    description: `The id of the client. ${inBody}`,
    examples: ["cli_4t9w2m7q1x8c5v3b6n0z"],
  }),
);
const clientSecret = Type.Optional(
  Type.String({ description: `The secret of the client. ${inBody}` }),
);

export const TokenRequest = Type.Object(
  {
    grant_type: Type.String({
      description: "`client_credentials`.",
      examples: ["client_credentials"],
    }),
    scope: Type.Optional(
      Type.String({
        description:
          "The scopes of the token, separated by spaces. By default, all scopes of the client.",
        examples: ["scheduler.messages.read scheduler.messages.readwrite"],
      }),
    ),
    client_id: clientId,
    client_secret: clientSecret,
  },
  { $id: "TokenRequest", description: "A request for an access token (RFC 6749, section 4.4)." },
);

export const AccessToken = Type.Object(
  {
    access_token: Type.String({
      description: "The token, a JWT as in RFC 9068. Send it as `Authorization: Bearer …`.",
    }),
    token_type: Type.String({ description: "`Bearer`.", examples: ["Bearer"] }),
    expires_in: Type.Integer({
      description: "How many seconds the token is valid.",
      examples: [3600],
    }),
    scope: Type.String({
      description: "What the token allows.",
      examples: ["scheduler.messages.readwrite"],
    }),
  },
  { $id: "AccessToken", description: "An access token." },
);

export const RevocationRequest = Type.Object(
  {
    token: Type.String({ description: "The token to revoke." }),
    token_type_hint: Type.Optional(Type.String({ description: "Not needed, and ignored." })),
    client_id: clientId,
    client_secret: clientSecret,
  },
  { $id: "RevocationRequest", description: "A token to be revoked (RFC 7009)." },
);

export const Revoked = Type.Object({}, { $id: "Revoked", description: "An empty object." });

export const OAuthErrorAnswer = Type.Object(
  {
    error: Type.String({
      description: "The code of RFC 6749, section 5.2. Programs should use this.",
      examples: ["invalid_client"],
    }),
    error_description: Type.String({
      description:
        "What is wrong and what to do about it, as text for people. The wording may change.",
    }),
  },
  { $id: "OAuthError", description: "An error in the format of OAuth 2.0. Nothing happened." },
);

const texts = (description: string) => Type.Array(Type.String(), { description });
const address = (description: string) => Type.String({ format: "uri", description });

export const AuthorizationServer = Type.Object(
  {
    issuer: address("The issuer that tokens name (`iss`)."),
    token_endpoint: address("Where clients get tokens."),
    revocation_endpoint: address("Where clients revoke tokens."),
    jwks_uri: address("Where the keys that verify tokens are published."),
    scopes_supported: texts("What a token can allow."),
    response_types_supported: texts("None: there is no authorization endpoint."),
    grant_types_supported: texts("How clients can get tokens."),
    token_endpoint_auth_methods_supported: texts("How clients authenticate."),
    revocation_endpoint_auth_methods_supported: texts("How clients authenticate."),
  },
  {
    $id: "AuthorizationServer",
    description: "What OAuth clients need to know about this server (RFC 8414).",
  },
);

export const KeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.String(),
        crv: Type.String(),
        x: Type.String(),
        y: Type.String(),
        kid: Type.String(),
        alg: Type.String(),
        use: Type.String(),
      }),
    ),
  },
  { $id: "KeySet", description: "The keys that verify access tokens (RFC 7517)." },
);

export const SigningKey = Type.Object(
  {
    keyId: Type.String({
      description: "Identifier of the key: the `kid` of the tokens that it signs.",
      examples: ["sig_4t9w2m7q1x8c5v3b6n0z"],
    }),
    creationTime: time("When the key was made and published."),
    state: Type.Unsafe<"UPCOMING" | "SIGNING" | "PREVIOUS">({
      type: "string",
      enum: ["UPCOMING", "SIGNING", "PREVIOUS"],
      description:
        "Whether the key will sign, signs, or stays until the last token that it signed has expired.",
    }),
  },
  { $id: "SigningKey", description: "A key that signs access tokens." },
);

export const SigningKeyList = Type.Object(
  { items: Type.Array(named(SigningKey)) },
  { $id: "SigningKeyList", description: "All signing keys, the oldest first." },
);

export const RotateSigningKey = Type.Object(
  {
    removeOld: Type.Optional(
      Type.Boolean({
        description:
          "Removes all older keys at once. All tokens issued so far become invalid. False by default.",
      }),
    ),
  },
  {
    ...strict,
    $id: "RotateSigningKey",
    description: "How to rotate the key. The body may be left out.",
  },
);
