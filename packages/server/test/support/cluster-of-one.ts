import { apiOf } from "./api.ts";
import { addClusterTarget } from "./cluster.ts";
import type { Cluster, ClusterNode } from "./cluster.ts";
import { startReceiver } from "./receiver.ts";
import { makeDataDir, startServerProcess } from "./server-process.ts";

/**
 * The embedded store behind the interface of a cluster, so that one run works with both stores. A node that
 * is added has the same data. The node before it must have ended.
 */
export async function startClusterOfOne(
  args: readonly string[] = [],
  ownEnv: Readonly<Record<string, string>> = {},
  first?: string,
): Promise<Cluster> {
  await using leftovers = new AsyncDisposableStack();
  const receiver = leftovers.use(await startReceiver());
  const dataDir = leftovers.use(await makeDataDir());
  const owned = leftovers.move();
  const nodes: ClusterNode[] = [];
  const addNode: Cluster["addNode"] = async (nodeArgs = args, env = ownEnv, program) => {
    const server = await startServerProcess({
      dataDir: dataDir.path,
      args: nodeArgs,
      env,
      program,
    });
    owned.defer(() => server.kill());
    const node = { server, api: apiOf(server.url) };
    nodes.push(node);
    return node;
  };
  const { api } = await addNode(args, ownEnv, first);
  await addClusterTarget(api, receiver);
  return { nodes, receiver, addNode, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
