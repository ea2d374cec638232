import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseMessageId } from "../../src/platform/message-ids.ts";
import type { TestDatabase } from "../../src/storage/postgres/testing/test-databases.ts";
import type { Api } from "./api.ts";
import { startCluster } from "./cluster.ts";
import type { Cluster, ClusterNode } from "./cluster.ts";
import type { Answer, Receipt } from "./receiver.ts";
import { verifyWebhook } from "./verify-webhook.ts";
import { expectAt, expectNear, expectWallClockOff, hour, slackMs } from "./wrong-clock.ts";

const minute = 60_000;
const iso = (time: number): string => new Date(time).toISOString();
const patiently = { timeout: 60_000, interval: 100 };

/**
 * A node whose wall clock is an hour off behaves like any other. `wallClockOff` makes the environment of
 * such a node. The database, the receiver and this process have the right time.
 */
export function wrongClockSuite(
  makeDatabase: () => Promise<TestDatabase>,
  wallClockOff: (offsetMs: number) => Readonly<Record<string, string>>,
): void {
  describe.each([
    { where: "ahead", offsetMs: hour },
    { where: "behind", offsetMs: -hour },
  ])(
    "a node an hour $where, beside one with the right time that delivers nothing",
    ({ offsetMs }) => {
      const env = wallClockOff(offsetMs);
      const keptMs = 30 * minute;
      const answers = new Map<string, Answer>();
      let database: TestDatabase;
      let cluster: Cluster;
      let wrong: ClusterNode;
      let apis: readonly Api[];
      /** Ended before the node joined, and expires soon after. */
      let brief: { messageId: string; expirationTime: string };

      beforeAll(async () => {
        database = await makeDatabase();
        cluster = await startCluster(database.url, 1, {
          args: ["--role", "api", "--retention", "5s"],
        });
        cluster.receiver.answerWith((receipt, response) => {
          const answer = answers.get(receipt.path);
          if (answer === undefined || receipt.attempt > 1) response.writeHead(204).end();
          else answer(receipt, response);
        });
        const { api } = cluster.nodes[0]!;
        const { messageId } = await schedule(api, "t", Date.now() + hour);
        brief = (await api("POST", `/v1/messages/${messageId}/cancel`)).body;
        wrong = await cluster.addNode(["--retention", "30m"], env);
        apis = [wrong.api, api];
      }, 120_000);
      afterAll(() => cluster?.[Symbol.asyncDispose]());

      async function schedule(api: Api, targetId: string, due: number) {
        const { status, body } = await api("POST", "/v1/messages", {
          body: { targetId, deliveryTime: iso(due), payload: "hello" },
        });
        expect(status).toBe(200);
        return body;
      }
      async function addTarget(targetId: string, backoffMs = 50): Promise<string> {
        const { status, body } = await wrong.api("POST", "/v1/targets", {
          body: {
            targetId,
            url: `${cluster.receiver.url}/${targetId}`,
            retryPolicy: { maxAttempts: 5, backoff: { kind: "list", delaysMs: [backoffMs] } },
          },
        });
        expect(status).toBe(200);
        return body.secret;
      }
      const received = async (messageId: string, count = 1): Promise<Receipt> =>
        (await cluster.receiver.received(count, (each) => each.messageId === messageId)).at(-1)!;
      const read = async (api: Api, messageId: string) =>
        (await api("GET", `/v1/messages/${messageId}`)).body;

      test.concurrent("its wall clock is off, and its monotonic one is not", () =>
        expectWallClockOff(env, offsetMs, wrong.server));

      test.concurrent("a message is delivered at its instant and kept for its retention", async ({
        expect,
      }) => {
        for (const api of apis) {
          const due = Date.now() + 2_000;
          const { messageId, schedulingTime } = await schedule(api, "t", due);
          expectNear(schedulingTime, Date.now());
          const { at } = await received(messageId);
          expectAt(at, due);
          for (const each of apis) {
            await expect
              .poll(async () => (await read(each, messageId))?.state, patiently)
              .toBe("DELIVERED");
            const message = await read(each, messageId);
            expectNear(message.lastDeliveryTime, at);
            expectNear(message.expirationTime, at + keptMs);
          }
        }
      });

      test.concurrent("a delay counts by the database's clock", async ({ expect }) => {
        for (const api of apis) {
          for (const headers of [{}, { "idempotency-key": `delay-${apis.indexOf(api)}` }]) {
            const { body: message } = await api("POST", "/v1/messages", {
              body: { targetId: "t", delayMs: 10 * minute, payload: "hello" },
              headers,
            });
            expectNear(message.schedulingTime, Date.now());
            const dueAt = Date.parse(message.schedulingTime) + 10 * minute;
            expect(message.nextDeliveryTime).toBe(iso(dueAt));
            const before = Date.now();
            const { body: moved } = await api(
              "POST",
              `/v1/messages/${message.messageId}/reschedule`,
              {
                body: { delayMs: 1_000 },
              },
            );
            expectNear(moved.nextDeliveryTime, Date.now() + 1_000);
            const { at } = await received(message.messageId);
            expectAt(at, Date.parse(moved.nextDeliveryTime));
            expect(at).toBeGreaterThanOrEqual(before + 1_000);
          }
        }
      });

      test.concurrent("the database decides what is past and what is future", async () => {
        for (const api of apis) {
          const waiting = await schedule(api, "t", Date.now() + 30 * minute);
          const asked = Date.now();
          const late = await schedule(api, "t", asked - 30 * minute);
          expectAt((await received(late.messageId)).at, asked);
          expect(await read(api, waiting.messageId)).toEqual(waiting);

          const { body: cancelled } = await wrong.api(
            "POST",
            `/v1/messages/${waiting.messageId}/cancel`,
          );
          expect(cancelled.state).toBe("CANCELLED");
          expectNear(cancelled.cancellationTime, Date.now());
          expectNear(cancelled.expirationTime, Date.now() + keptMs);

          const due = Date.now() + 1_000;
          const { status } = await api("POST", `/v1/messages/${waiting.messageId}/reschedule`, {
            body: { deliveryTime: iso(due) },
          });
          expect(status).toBe(200);
          expectAt((await received(waiting.messageId)).at, due);
        }
      });

      test.concurrent("lists show the requested window, and ids sort by time", async () => {
        await addTarget("listed");
        const due = Date.now() + 20 * minute;
        const scheduled: { messageId: string; schedulingTime: string }[] = [];
        for (let index = 0; index < 6; index++) {
          scheduled.push(await schedule(apis[index % 2]!, "listed", due));
        }
        await schedule(wrong.api, "listed", due - 1);
        await schedule(wrong.api, "listed", due + 1);
        for (const { messageId, schedulingTime } of scheduled) {
          const idTime = parseMessageId(messageId)!.sequence / 2 ** 11;
          expectNear(schedulingTime, idTime);
        }
        const found: string[] = [];
        let page = "";
        do {
          const { body } = await apis[found.length % 4 === 0 ? 0 : 1]!(
            "GET",
            `/v1/targets/listed/scheduled-messages?minTime=${iso(due)}&maxTime=${iso(due)}&limit=2${page}`,
          );
          found.push(...body.items.map((each: { messageId: string }) => each.messageId));
          page = body.nextPageToken === null ? "" : `&pageToken=${body.nextPageToken}`;
        } while (page !== "");
        expect(found).toEqual(scheduled.map(({ messageId }) => messageId).toSorted());
      });

      test.concurrent("retries come after the backoff, or at the time that the target asks for", async ({
        expect,
      }) => {
        await addTarget("backed-off", 1_500);
        answers.set("/backed-off", (_, response) => response.writeHead(500).end());
        const failed = await schedule(wrong.api, "backed-off", Date.now());
        const first = await received(failed.messageId);
        expectAt((await received(failed.messageId, 2)).at, first.at + 1_500);

        await addTarget("busy");
        const named = Math.ceil(Date.now() / 1_000) * 1_000 + 3_000;
        const retryAfter = new Date(named).toUTCString();
        answers.set("/busy", (_, response) =>
          response.writeHead(503, { "retry-after": retryAfter }).end(),
        );
        const { messageId } = await schedule(wrong.api, "busy", Date.now());
        await received(messageId);
        const [api] = apis;
        await expect
          .poll(async () => (await read(api!, messageId)).deliveryFailureCount, patiently)
          .toBe(1);
        expectNear((await read(api!, messageId)).nextDeliveryTime, named);
        expectAt((await received(messageId, 2)).at, named);
        const { body } = await wrong.api("GET", `/v1/messages/${messageId}/attempts`);
        for (const { startTime, endTime } of body.attempts) {
          expectNear(startTime, Date.now());
          expectNear(endTime, Date.now());
        }
      });

      test.concurrent("receivers accept its signatures, with either secret during a rotation", async () => {
        const secret = await addTarget("signed");
        const { body: tested } = await wrong.api("POST", "/v1/targets/signed/test");
        verifyWebhook(secret, await received(tested.messageId));
        const { body: rotated } = await wrong.api("POST", "/v1/targets/signed/rotate-secret", {
          body: { overlapMs: 30 * minute },
        });
        for (const api of apis) {
          const { messageId } = await schedule(api, "signed", Date.now());
          const receipt = await received(messageId);
          expect(receipt.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
          verifyWebhook(secret, receipt);
          verifyWebhook(rotated.secret, receipt);
        }
      });

      test.concurrent("each node sees both as alive", async () => {
        for (const api of apis) {
          const { items } = (await api("GET", "/v1/nodes")).body;
          expect(items.map(({ role }: { role: string }) => role).toSorted()).toEqual([
            "all",
            "api",
          ]);
          for (const { joinTime, heartbeatAgeMs } of items) {
            expectNear(joinTime, Date.now(), 5 * minute);
            expect(heartbeatAgeMs).toBeGreaterThanOrEqual(0);
            expect(heartbeatAgeMs).toBeLessThan(3_000);
          }
        }
      });

      test.concurrent("messages are removed when they expire, and no sooner", async ({
        expect,
        onTestFinished,
      }) => {
        const { messageId, expirationTime } = brief;
        for (const api of apis) {
          let goneBy = 0;
          const status = async (): Promise<number> => {
            const answer = await api("GET", `/v1/messages/${messageId}`);
            goneBy = Date.now();
            return answer.status;
          };
          await expect.poll(status, patiently).toBe(404);
          expect(goneBy).toBeGreaterThanOrEqual(Date.parse(expirationTime));
        }
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        onTestFinished(() => client.end());
        const rows = async () => {
          const sql = "SELECT 1 FROM messages WHERE expiration_time = $1";
          return (await client.query(sql, [Date.parse(expirationTime)])).rowCount;
        };
        await expect.poll(rows, { ...patiently, timeout: slackMs }).toBe(0);
      });
    },
    40_000,
  );

  test("one node an hour ahead and one an hour behind work together", async () => {
    await using cluster = await startCluster((await makeDatabase()).url, 1, {
      args: ["--role", "api"],
    });
    const { receiver, addNode } = cluster;
    const ahead = await addNode([], wallClockOff(hour));
    const behind = await addNode([], wallClockOff(-hour));
    const nodes = async (api: Api) =>
      (await api("GET", "/v1/nodes")).body.items.map(
        ({ nodeId, joinTime }: { nodeId: string; joinTime: string }) => [nodeId, joinTime],
      );
    const before = await nodes(ahead.api);
    expect(before).toHaveLength(3);
    // Longer than a lease: a node that others took for dead would have joined again.
    const dueAt = new Map<string, number>();
    const messages = 40;
    for (let index = 0; index < messages; index++) {
      const due = Date.now() + 500 + index * 100;
      const { api } = [ahead, behind][index % 2]!;
      const { body } = await api("POST", "/v1/messages", {
        body: { targetId: "t", deliveryTime: iso(due), payload: "hello" },
      });
      dueAt.set(body.messageId, due);
    }
    const receipts = await receiver.received(messages);
    expect(new Set(receipts.map(({ messageId }) => messageId)).size).toBe(messages);
    for (const { messageId, at, attempt } of receipts) {
      expect(attempt).toBe(1);
      expectAt(at, dueAt.get(messageId)!);
    }
    for (const { api } of cluster.nodes) expect(await nodes(api)).toEqual(before);
  }, 120_000);
}
