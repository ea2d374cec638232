import { named, time } from "./fields.ts";
import { Type } from "./type.ts";

export const Node = Type.Object(
  {
    nodeId: Type.String({ description: "The node's name.", examples: ["postdate-1:1"] }),
    role: Type.Unsafe<"all" | "api" | "dispatch">({
      type: "string",
      enum: ["all", "api", "dispatch"],
      description: "Whether it answers callers, delivers, or both.",
    }),
    joinTime: time("Since when it has been a node."),
    heartbeatAgeMs: Type.Integer({ description: "How long ago it last showed that it lives." }),
    inFlight: Type.Integer({ description: "Messages that it holds for an attempt." }),
  },
  { $id: "Node", description: "A server process that works on the store." },
);

export const NodeList = Type.Object(
  { items: Type.Array(named(Node)) },
  { $id: "NodeList", description: "Every node that is alive." },
);
