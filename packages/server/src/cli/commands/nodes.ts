import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { examples } from "../help/help-text.ts";
import { nodeRows } from "../print/nodes.ts";
import { showList } from "../connection/show-list.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addNodes(program: Command, surroundings: Surroundings): void {
  const command = apiCommand(program, "nodes")
    .description("the server processes that work on the store")
    .addHelpText(
      "after",
      examples(["postdate nodes", "role, age of the heartbeat, what is in flight"]),
    )
    .action(async () => {
      await showList(connect(command, surroundings), {
        list: (postdate) => postdate.nodes(),
        rows: nodeRows,
      });
    });
}
