import { named, strict, time } from "./fields.ts";
import { Type } from "./type.ts";

const inBody =
  "Either here or, with the other one, in `Authorization: Basic …`; never in both places.";
const clientId = Type.Optional(
  Type.String({ description: `The client. ${inBody}`, examples: ["cli_4t9w2m7q1x8c5v3b6n0z"] }),
);
const clientSecret = Type.Optional(Type.String({ description: `Its secret. ${inBody}` }));

export const TokenRequest = Type.Object(
  {
    grant_type: Type.String({
      description: "`client_credentials`.",
      examples: ["client_credentials"],
    }),
    scope: Type.Optional(
      Type.String({
        description:
          "What the token is to allow, with a space between two; all that the client may have by default.",
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
      description: "The token, a JWT after RFC 9068, to be sent as `Authorization: Bearer …`.",
    }),
    token_type: Type.String({ description: "`Bearer`.", examples: ["Bearer"] }),
    expires_in: Type.Integer({
      description: "For how many seconds it is valid.",
      examples: [3600],
    }),
    scope: Type.String({
      description: "What it allows.",
      examples: ["scheduler.messages.readwrite"],
    }),
  },
  { $id: "AccessToken", description: "An access token." },
);

export const RevocationRequest = Type.Object(
  {
    token: Type.String({ description: "The token that is to open nothing any more." }),
    token_type_hint: Type.Optional(Type.String({ description: "Not needed, and not looked at." })),
    client_id: clientId,
    client_secret: clientSecret,
  },
  { $id: "RevocationRequest", description: "A token to be revoked (RFC 7009)." },
);

export const Revoked = Type.Object({}, { $id: "Revoked", description: "Nothing more to say." });

export const OAuthErrorAnswer = Type.Object(
  {
    error: Type.String({
      description: "The code of RFC 6749, section 5.2, to branch on.",
      examples: ["invalid_client"],
    }),
    error_description: Type.String({
      description: "What is wrong and what to do about it, for people. Its wording may change.",
    }),
  },
  { $id: "OAuthError", description: "An error in the format of OAuth 2.0. Nothing happened." },
);

const texts = (description: string) => Type.Array(Type.String(), { description });
const address = (description: string) => Type.String({ format: "uri", description });

export const AuthorizationServer = Type.Object(
  {
    issuer: address("What tokens name as their issuer (`iss`)."),
    token_endpoint: address("Where clients get tokens."),
    revocation_endpoint: address("Where clients revoke them."),
    jwks_uri: address("The keys that tokens are verified with."),
    scopes_supported: texts("What a token can allow."),
    response_types_supported: texts("None: there is no authorization endpoint."),
    grant_types_supported: texts("How tokens can be had."),
    token_endpoint_auth_methods_supported: texts("How clients say who they are."),
    revocation_endpoint_auth_methods_supported: texts("How clients say who they are."),
  },
  {
    $id: "AuthorizationServer",
    description: "What OAuth clients need to know of this server (RFC 8414).",
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
  { $id: "KeySet", description: "The keys that access tokens are verified with (RFC 7517)." },
);

export const SigningKey = Type.Object(
  {
    keyId: Type.String({
      description: "Identifier of the key: the `kid` of the tokens that it signs.",
      examples: ["sig_4t9w2m7q1x8c5v3b6n0z"],
    }),
    creationTime: time("Since when it is published."),
    state: Type.Unsafe<"UPCOMING" | "SIGNING" | "PREVIOUS">({
      type: "string",
      enum: ["UPCOMING", "SIGNING", "PREVIOUS"],
      description:
        "Whether it will sign, signs, or is kept until the last token that it signed has expired.",
    }),
  },
  { $id: "SigningKey", description: "A key that access tokens are signed with." },
);

export const SigningKeyList = Type.Object(
  { items: Type.Array(named(SigningKey)) },
  { $id: "SigningKeyList", description: "Every signing key, the oldest first." },
);

export const RotateSigningKey = Type.Object(
  {
    removeOld: Type.Optional(
      Type.Boolean({
        description:
          "Removes every key before the new one at once: all tokens issued so far are void. False by default.",
      }),
    ),
  },
  { ...strict, $id: "RotateSigningKey", description: "How to rotate; may be left out." },
);
