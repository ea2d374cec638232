import { chosenId, integerOrNull, named, printable, strict, time, timeOrNull } from "./fields.ts";
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
    "While an account is `SUSPENDED`, its credentials are refused and its messages are not delivered.",
});

const name = Type.String({
  description: "The name that the operator gave the account.",
  examples: ["Blue Shop"],
});

const limits = {
  monthlyMessageLimit: integerOrNull(
    "How many messages the account may schedule in a calendar month, UTC; null: no limit.",
  ),
  requestLimit: Type.Unsafe<RequestLimit | null>({
    ...Type.Object({
      max: Type.Integer({ description: "How many requests may come in one burst." }),
      intervalMs: Type.Integer({
        description: "The time in which as many requests are allowed again.",
      }),
    }),
    type: ["object", "null"],
    description: "How many requests the account may send; null: no limit.",
  }),
};

/** The account as it sees itself. Only the operator sees the rest. */
export const OwnAccount = Type.Object(
  { accountId, name, state, ...limits, creationTime: time("When the account was created.") },
  { $id: "OwnAccount", description: "The account that the credential belongs to." },
);

export const Account = Type.Object(
  {
    ...OwnAccount.properties,
    suspensionTime: timeOrNull("When the account was suspended; null while it is active."),
  },
  { $id: "Account", description: "An account. Messages, targets, keys and clients belong to one." },
);

export const AccountWithUsage = Type.Object(
  {
    ...Account.properties,
    usage: Type.Object({
      month: Type.String({ description: "The calendar month, UTC.", examples: ["2026-11"] }),
      used: Type.Integer({
        description: "How many messages the account has scheduled in the month.",
      }),
    }),
  },
  { $id: "AccountWithUsage", description: "An account and its usage this month." },
);

export const AccountWithKey = Type.Object(
  {
    ...Account.properties,
    key: Type.String({
      description:
        "The first API key of the account, with `scheduler.all.readwrite`. It is shown here and never again.",
      examples: ["pd_bm90LWEtcmVhbC1rZXktanVzdC1hbi1leGFtcGxlLTEy"],
    }),
  },
  { $id: "AccountWithKey", description: "A new account and its first API key." },
);

const givenName = (byDefault = "") =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: printable,
    description: `The name of the account: 1 to 100 characters, without control characters${byDefault}.`,
    examples: ["Blue Shop"],
  });

/** 10^12 is as good as unlimited, and fits every header, number and column on its way. */
const givenLimits = {
  monthlyMessageLimit: Type.Optional(
    Type.Unsafe<number | null>({
      type: ["integer", "null"],
      minimum: 0,
      maximum: 1_000_000_000_000,
      description:
        "How many messages the account may schedule in a calendar month, UTC; null: no limit.",
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
            description: "How many requests may come in one burst.",
          }),
          intervalMs: Type.Integer({
            minimum: 1,
            maximum: 86_400_000,
            description: "The time in which as many requests are allowed again.",
          }),
        },
        strict,
      ),
      type: ["object", "null"],
      description: "How many requests the account may send; null: no limit.",
      examples: [{ max: 100, intervalMs: 1000 }],
    }),
  ),
};

export const CreateAccount = Type.Object(
  {
    accountId: Type.Optional(
      Type.String({
        pattern: chosenId,
        description: "1 to 64 letters, digits, `_` and `-`; generated if it is left out.",
        examples: ["blue-shop"],
      }),
    ),
    name: Type.Optional(givenName("; its id by default")),
    ...givenLimits,
  },
  {
    ...strict,
    $id: "CreateAccount",
    description:
      "A new account. Limits that are left out take the service's defaults for new accounts.",
    examples: [{ accountId: "blue-shop", name: "Blue Shop", monthlyMessageLimit: 500 }],
  },
);

export const UpdateAccount = Type.Object(
  { name: Type.Optional(givenName()), ...givenLimits },
  {
    ...strict,
    $id: "UpdateAccount",
    description:
      "The fields to change. Fields that are left out stay as they are; null removes a limit.",
    examples: [{ monthlyMessageLimit: 10_000, requestLimit: null }],
  },
);

export const AccountPage = Type.Object(
  { items: Type.Array(named(Account)), ...pageFields },
  { $id: "AccountPage", description: "One page of accounts, by `accountId`." },
);

/** Accounts are paged like targets. */
export const AccountListQuery = TargetListQuery;

export const AccountPath = Type.Object({ accountId });
