import { strict } from "./fields.ts";
import { Type } from "./type.ts";

export const NoBody = Type.Object(
  {},
  { ...strict, $id: "NoBody", description: "No content: leave the body out, or send `{}`." },
);

export const Health = Type.Object(
  { status: Type.String({ enum: ["ok"] }), version: Type.String() },
  { $id: "Health", description: "The process is running." },
);

export const Readiness = Type.Object(
  {
    ready: Type.Boolean(),
    reasons: Type.Array(Type.String(), {
      description: "Why the service is not ready; empty when it is.",
    }),
  },
  { $id: "Readiness", description: "Whether this node is ready for requests." },
);
