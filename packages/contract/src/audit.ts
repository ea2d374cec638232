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
    time: time("When it was done."),
    actor: Type.Object(
      {
        kind: Type.Unsafe<string>({
          type: "string",
          enum: ["key", "client", "subject", "operator", "service"],
          description:
            "An API key, an OAuth client, whom another issuer vouches for, the operator, or the service by itself.",
        }),
        id: Type.String({ description: "Such as the `keyId` or the `clientId`." }),
      },
      { description: "Who did it." },
    ),
    requestId: textOrNull("The `x-request-id` of the request; null where it was none."),
    action: Type.String({ description: "What was done.", examples: ["target.updated"] }),
    subjectId: Type.String({ description: "The id of what it was done to." }),
    detail: Type.Unsafe<Detail>({
      type: "object",
      additionalProperties: true,
      description: "More about it, such as which fields were changed. Never a secret.",
    }),
  },
  { $id: "AuditEntry", description: "One thing that was done to an account or something of it." },
);

export const AuditPage = Type.Object(
  { items: Type.Array(named(AuditEntry)), ...pageFields },
  { $id: "AuditPage", description: "One page of the audit log, the youngest entry first." },
);

/** A page of the audit log is asked for as one of messages. */
export const AuditListQuery = MessageListQuery;

export const OperatorAuditEntry = Type.Object(
  {
    ...AuditEntry.properties,
    accountId: textOrNull("Whose it is; null for what belongs to the service itself."),
  },
  { $id: "OperatorAuditEntry", description: "An entry of the audit log, and whose it is." },
);

export const OperatorAuditPage = Type.Object(
  { items: Type.Array(named(OperatorAuditEntry)), ...pageFields },
  {
    $id: "OperatorAuditPage",
    description: "One page of the operator's view of the audit log, the youngest entry first.",
  },
);
