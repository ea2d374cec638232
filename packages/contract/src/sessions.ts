import { strict, time, visibleAscii } from "./fields.ts";
import { AccessKey } from "./keys.ts";
import { Type } from "./type.ts";

export const SignIn = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: visibleAscii,
      description: "An API key of the account, or the code in a link of `postdate dev`.",
      examples: ["pd_bm90LWEtcmVhbC1rZXktanVzdC1hbi1leGFtcGxlLTEy"],
    }),
  },
  { ...strict, $id: "SignIn", description: "The key that a browser signs in with." },
);

export const Session = Type.Object(
  {
    accountId: Type.String({ description: "The account that the key belongs to." }),
    keyId: Type.String({ description: "The key that signed in; the session ends with it." }),
    scopes: Type.Array(AccessKey.properties.scopes.items, {
      description: "What the session allows: what its key allows.",
    }),
    creationTime: time("When the browser signed in."),
    expirationTime: time("When the session ends by itself."),
  },
  { $id: "Session", description: "What a browser has after it signed in; not its secret id." },
);
