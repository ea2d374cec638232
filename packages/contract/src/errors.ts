import { errorCodeRegistry } from "./error-codes.ts";
import { named } from "./fields.ts";
import { Type } from "./type.ts";

export const ErrorObject = Type.Object(
  {
    code: Type.String({
      description: "The stable code of the error. Programs should use this.",
      examples: [errorCodeRegistry.invalidRequest.code],
    }),
    message: Type.String({
      description:
        "What is wrong and what to do about it, as text for people. The wording may change.",
    }),
    field: Type.Optional(
      Type.String({
        description: "The field, parameter or header at fault, if there is one.",
        examples: ["deliveryTime"],
      }),
    ),
  },
  { $id: "Error", description: "One thing that is wrong with a request." },
);

export const Errors = Type.Object(
  { errors: Type.Array(named(ErrorObject), { minItems: 1 }) },
  {
    $id: "Errors",
    description:
      "Everything that is wrong with a request. No part of the request has taken effect.",
    examples: [
      {
        errors: [
          {
            code: errorCodeRegistry.invalidRequest.code,
            message: "deliveryTime cannot be read: there is no day 30 in month 2 of the year 2026.",
            field: "deliveryTime",
          },
          {
            code: errorCodeRegistry.messageTargetNotFound.code,
            message: 'There is no target "orders". Create it with POST /v1/targets first.',
            field: "targetId",
          },
        ],
      },
    ],
  },
);
