import { named, time } from "./fields.ts";
import { Type } from "./type.ts";

export const Node = Type.Object(
  {
    nodeId: Type.String({ description: "The node's name.", examples: ["postdate-1:1"] }),
    role: Type.Unsafe<"all" | "api" | "dispatch">({
      type: "string",
      enum: ["all", "api", "dispatch"],
      description: "Whether the node answers callers, delivers, or both.",
    }),
    joinTime: time("When the node joined."),
    heartbeatAgeMs: Type.Integer({
      description: "How long ago the node last showed that it is alive.",
    }),
    inFlight: Type.Integer({ description: "How many messages the node holds for an attempt." }),
  },
  { $id: "Node", description: "A server process on the store." },
);

export const NodeList = Type.Object(
  { items: Type.Array(named(Node)) },
  { $id: "NodeList", description: "All nodes that are alive." },
);
