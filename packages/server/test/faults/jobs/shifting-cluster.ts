import { expect } from "vitest";
import type { Api } from "../../support/api.ts";
import type { Cluster, ClusterNode } from "../../support/cluster.ts";

/** The fields of a job in an answer that these runs look at. */
export interface WireJob {
  readonly jobId: string;
  readonly state: "RUNNING" | "PAUSED" | "DONE" | "STOPPED" | "FAILED";
  readonly matched: number;
  readonly done: number;
  readonly skipped: { readonly changed: number; readonly inFlight: number };
}

export interface ShiftingCluster {
  readonly cluster: Cluster;
  /** The nodes that have not been killed. */
  readonly alive: readonly ClusterNode[];
  /** How many nodes have worked on the job, dead ones included. */
  runnersOf(jobId: string): number;
  /** Kills a node and starts another one. */
  replace(victim: ClusterNode): Promise<void>;
  /** The living node that works on the job, as soon as there is one. */
  runnerOf(jobId: string): Promise<ClusterNode>;
  /** Adds a target with messages in the far future. Returns the time of each. */
  addMessages(targetId: string, count: number): Promise<Times>;
  /** Begins a shift of all messages of the target. */
  beginShift(targetId: string, ratePerSecond: number): Promise<string>;
  /** Lets the job go on as fast as it can. */
  speedUp(jobId: string): Promise<void>;
  readJob(jobId: string): Promise<WireJob>;
  /** Reads the job until it is as wanted. */
  jobThat(jobId: string, isWanted: (job: WireJob) => boolean): Promise<WireJob>;
  timesNow(targetId: string): Promise<Times>;
}

/** The delivery times of messages, by their ids. */
export type Times = ReadonlyMap<string, number>;

export const byMs = 86_400_000;
const farAway = Date.parse("2099-01-01T00:00:00Z");
const batchSize = 1_000;
/** Long enough for a lease to end, for the next look for jobs, and for a machine that is busy. */
const patience = { timeout: 60_000, interval: 20 };

/** A cluster on either store whose nodes may be killed while they work on jobs. */
export function shiftingCluster(cluster: Cluster): ShiftingCluster {
  const alive = [...cluster.nodes];
  const api: Api = (...call) => alive.at(-1)!.api(...call);

  const readJob = async (jobId: string): Promise<WireJob> => {
    const { status, body, text } = await api("GET", `/v1/jobs/${jobId}`);
    if (status !== 200) throw new Error(`no job: ${status} ${text}`);
    return body as WireJob;
  };

  return {
    cluster,
    alive,
    readJob,
    async replace(victim) {
      alive.splice(alive.indexOf(victim), 1);
      await victim.server.kill();
      alive.push(await cluster.addNode());
    },
    async runnerOf(jobId) {
      const find = () => alive.find(({ server }) => hasTaken(server.output(), jobId));
      await expect.poll(find, patience).toBeDefined();
      return find()!;
    },
    runnersOf: (jobId) =>
      cluster.nodes.filter(({ server }) => hasTaken(server.output(), jobId)).length,
    async speedUp(jobId) {
      const { status } = await api("PATCH", `/v1/jobs/${jobId}`, {
        body: { ratePerSecond: 10_000 },
      });
      // 409: it has ended.
      expect([200, 409]).toContain(status);
    },
    async addMessages(targetId, count) {
      const { url } = cluster.receiver;
      if (targetId !== "t") await answered(api("POST", "/v1/targets", { body: { targetId, url } }));
      const times = new Map<string, number>();
      while (times.size < count) {
        const messages = Array.from({ length: Math.min(batchSize, count - times.size) }, (_, n) => {
          const deliveryTime = new Date(farAway + times.size + n).toISOString();
          return { targetId, deliveryTime, payload: "hello" };
        });
        const { results } = await answered(
          api("POST", "/v1/messages/batch", { body: { messages } }),
        );
        for (const { message } of results as { message: WireMessage }[]) add(times, message);
      }
      return times;
    },
    async beginShift(targetId, ratePerSecond) {
      const body = { action: "shift", filter: { targetId }, byMs, ratePerSecond };
      const { jobId } = await answered(api("POST", "/v1/jobs", { body }));
      return jobId as string;
    },
    async jobThat(jobId, isWanted) {
      let job = await readJob(jobId);
      const isThere = async () => isWanted((job = await readJob(jobId)));
      await expect.poll(isThere, patience).toBe(true);
      return job;
    },
    async timesNow(targetId) {
      const times = new Map<string, number>();
      let pageToken: string | null = "";
      while (pageToken !== null) {
        const query = new URLSearchParams({ limit: "100", ...(pageToken && { pageToken }) });
        const path = `/v1/targets/${targetId}/scheduled-messages?${query.toString()}`;
        const { items, nextPageToken } = await answered(api("GET", path));
        for (const message of items as WireMessage[]) add(times, message);
        pageToken = nextPageToken as string | null;
      }
      return times;
    },
  };
}

interface WireMessage {
  readonly messageId: string;
  readonly nextDeliveryTime: string;
  /** Only of a message that a schedule made. */
  readonly runTime?: string;
}

function add(times: Map<string, number>, message: WireMessage): void {
  const { messageId, nextDeliveryTime, runTime = nextDeliveryTime } = message;
  times.set(messageId, Date.parse(runTime));
}

function hasTaken(output: string, jobId: string): boolean {
  return output.split("\n").some((line) => line.includes("job taken") && line.includes(jobId));
}

async function answered(call: ReturnType<Api>) {
  const { status, body, text } = await call;
  if (status >= 300) throw new Error(`refused: ${status} ${text}`);
  return body;
}
