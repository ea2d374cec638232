import { integerOrNull, named, printable, strict, time, timeOrNull } from "./fields.ts";
import { pageFields, TargetListQuery } from "./lists.ts";
import { Type } from "./type.ts";

const accountId = Type.String({
  description: "Identifier of the account.",
  examples: ["acc_5r8w1z4t9w2m7q1x8c5v"],
});

type RequestLimit = { max: number; intervalMs: number };

const state = Type.Unsafe<"ACTIVE" | "SUSPENDED">({
  type: "string",
  enum: ["ACTIVE", "SUSPENDED"],
  description:
    "While it is `SUSPENDED`, its credentials open nothing and nothing is delivered for it.",
});

const name = Type.String({ description: "What the operator calls it.", examples: ["Blue Shop"] });

const limits = {
  monthlyMessageLimit: integerOrNull(
    "How many messages it may schedule in a calendar month, UTC; null: as many as it likes.",
  ),
  requestLimit: Type.Unsafe<RequestLimit | null>({
    ...Type.Object({
      max: Type.Integer({ description: "How many requests may come at once." }),
      intervalMs: Type.Integer({ description: "Over how long as many are allowed again." }),
    }),
    type: ["object", "null"],
    description: "How many requests it may send; null: as many as it likes.",
  }),
};

/** As the account itself may see it: what else there is to know is the operator's business. */
export const OwnAccount = Type.Object(
  { accountId, name, state, ...limits, creationTime: time("When it was created.") },
  { $id: "OwnAccount", description: "The account that the credential belongs to." },
);

export const Account = Type.Object(
  {
    ...OwnAccount.properties,
    suspensionTime: timeOrNull("Since when it is suspended; null while it is active."),
  },
  { $id: "Account", description: "Whom things belong to." },
);

export const AccountWithUsage = Type.Object(
  {
    ...Account.properties,
    usage: Type.Object({
      month: Type.String({ description: "The calendar month, UTC.", examples: ["2026-11"] }),
      used: Type.Integer({ description: "How many messages it has scheduled in it." }),
    }),
  },
  { $id: "AccountWithUsage", description: "An account, and what it has used this month." },
);

export const AccountWithKey = Type.Object(
  {
    ...Account.properties,
    key: Type.String({
      description:
        "Its first API key, with `scheduler.all.readwrite`. It is shown here and never again.",
      examples: ["pd_bm90LWEtcmVhbC1rZXktanVzdC1hbi1leGFtcGxlLTEy"],
    }),
  },
  { $id: "AccountWithKey", description: "A new account, and its first API key." },
);

const givenName = (byDefault = "") =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: printable,
    description: `What to call it: 1 to 100 characters, none of them a control character${byDefault}.`,
    examples: ["Blue Shop"],
  });

/** 10^12 is as good as unlimited, and fits every header, number and column it passes through. */
const givenLimits = {
  monthlyMessageLimit: Type.Optional(
    Type.Unsafe<number | null>({
      type: ["integer", "null"],
      minimum: 0,
      maximum: 1_000_000_000_000,
      description:
        "How many messages it may schedule in a calendar month, UTC; null: as many as it likes.",
      examples: [500],
    }),
  ),
  requestLimit: Type.Optional(
    Type.Unsafe<RequestLimit | null>({
      ...Type.Object(
        {
          max: Type.Integer({
            minimum: 1,
            maximum: 999_999_999,
            description: "How many requests may come at once.",
          }),
          intervalMs: Type.Integer({
            minimum: 1,
            maximum: 86_400_000,
            description: "Over how long as many are allowed again.",
          }),
        },
        strict,
      ),
      type: ["object", "null"],
      description: "How many requests it may send; null: as many as it likes.",
      examples: [{ max: 100, intervalMs: 1000 }],
    }),
  ),
};

export const CreateAccount = Type.Object(
  {
    accountId: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9_-]{1,64}$",
        description: "1 to 64 letters, digits, `_` and `-`; generated where it is left out.",
        examples: ["blue-shop"],
      }),
    ),
    name: Type.Optional(givenName("; its id where it is left out")),
    ...givenLimits,
  },
  {
    ...strict,
    $id: "CreateAccount",
    description: "An account to be made. Limits that are left out are those of every new account.",
    examples: [{ accountId: "blue-shop", name: "Blue Shop", monthlyMessageLimit: 500 }],
  },
);

export const UpdateAccount = Type.Object(
  { name: Type.Optional(givenName()), ...givenLimits },
  {
    ...strict,
    $id: "UpdateAccount",
    description: "The parts to change; parts left out stay, null takes a limit away.",
    examples: [{ monthlyMessageLimit: 10_000, requestLimit: null }],
  },
);

export const AccountPage = Type.Object(
  { items: Type.Array(named(Account)), ...pageFields },
  { $id: "AccountPage", description: "One page of accounts, by `accountId`." },
);

/** A page of accounts is asked for as one of targets. */
export const AccountListQuery = TargetListQuery;

export const AccountPath = Type.Object({ accountId });
