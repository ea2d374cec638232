import { apiOf } from "./api.ts";
import type { Api } from "./api.ts";
import { startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";
import { makeDataDir, startServerProcess } from "./server-process.ts";
import type { ServerProcess } from "./server-process.ts";

export interface ClusterNode {
  readonly server: ServerProcess;
  readonly api: Api;
}

export interface Cluster extends AsyncDisposable {
  /** All nodes that were started, including the dead ones. */
  readonly nodes: readonly ClusterNode[];
  readonly receiver: Receiver;
  addNode(
    args?: readonly string[],
    env?: Readonly<Record<string, string>>,
    program?: string,
  ): Promise<ClusterNode>;
}

export interface ClusterOptions {
  readonly nodeLease?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the first nodes are. The default is this version. */
  readonly program?: string;
}

/** Real server processes on one real database, and a receiver for their deliveries. */
export async function startCluster(
  databaseUrl: string,
  size: number,
  { nodeLease = "3s", args = [], env: ownEnv = {}, program: first }: ClusterOptions = {},
): Promise<Cluster> {
  await using leftovers = new AsyncDisposableStack();
  const receiver = leftovers.use(await startReceiver());
  const nodes: ClusterNode[] = [];
  const env = {
    POSTDATE_DATABASE_URL: databaseUrl,
    POSTDATE_ENCRYPTION_KEY: "ab".repeat(32),
    POSTDATE_NODE_LEASE: nodeLease,
    ...ownEnv,
  };
  const addNode: Cluster["addNode"] = async (nodeArgs = [], nodeEnv = {}, program) => {
    const dataDir = owned.use(await makeDataDir());
    const server = await startServerProcess({
      dataDir: dataDir.path,
      env: { ...env, ...nodeEnv },
      args: nodeArgs,
      program,
    });
    owned.defer(() => server.kill());
    const node = { server, api: apiOf(server.url) };
    nodes.push(node);
    return node;
  };
  const owned = leftovers.move();
  while (nodes.length < size) await addNode(args, {}, first);
  await addClusterTarget(nodes[0]!.api, receiver);
  return {
    nodes,
    receiver,
    addNode,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Adds the target `t`, which every cluster has from the start. It retries soon and often. */
export async function addClusterTarget(api: Api, receiver: Receiver): Promise<void> {
  const { status, text } = await api("POST", "/v1/targets", {
    body: {
      targetId: "t",
      url: receiver.url,
      retryPolicy: { maxAttempts: 50, backoff: { kind: "list", delaysMs: [50] } },
    },
  });
  if (status !== 200) throw new Error(`no target: ${status} ${text}`);
}
