import { named, textOrNull, time } from "./fields.ts";
import { MessageListQuery, pageFields } from "./lists.ts";
import { Type } from "./type.ts";

type Detail = Record<string, string | number | boolean | null | string[]>;

export const AuditEntry = Type.Object(
  {
    entryId: Type.String({
      description: "Identifier of the entry.",
      examples: ["aud_4t9w2m7q1x8c5v3b6n0z"],
    }),
    time: time("When it happened."),
    actor: Type.Object(
      {
        kind: Type.Unsafe<string>({
          type: "string",
          enum: ["key", "client", "subject", "operator", "service"],
          description:
            "An API key, an OAuth client, a subject of another issuer, the operator, or the service itself.",
        }),
        id: Type.String({ description: "Its id, such as the `keyId` or the `clientId`." }),
      },
      { description: "Who did it." },
    ),
    requestId: textOrNull("The `x-request-id` of the request; null if no request caused it."),
    action: Type.String({ description: "What was done.", examples: ["target.updated"] }),
    subjectId: Type.String({
      description:
        "The id of the changed account, target, key, client, job, schedule or event endpoint.",
    }),
    detail: Type.Unsafe<Detail>({
      type: "object",
      additionalProperties: true,
      description: "Details, such as which fields were changed. Never a secret.",
    }),
  },
  {
    $id: "AuditEntry",
    description: "One change of an account, or of something that belongs to it.",
  },
);

export const AuditPage = Type.Object(
  { items: Type.Array(named(AuditEntry)), ...pageFields },
  { $id: "AuditPage", description: "One page of the audit log, the latest entry first." },
);

/** The audit log is paged like messages. */
export const AuditListQuery = MessageListQuery;

export const OperatorAuditEntry = Type.Object(
  {
    ...AuditEntry.properties,
    accountId: textOrNull(
      "The account that the entry belongs to; null if it belongs to the service itself.",
    ),
  },
  { $id: "OperatorAuditEntry", description: "An entry of the audit log, and its account." },
);

export const OperatorAuditPage = Type.Object(
  { items: Type.Array(named(OperatorAuditEntry)), ...pageFields },
  {
    $id: "OperatorAuditPage",
    description: "One page of the operator's view of the audit log, the latest entry first.",
  },
);
