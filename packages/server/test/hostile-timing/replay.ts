import { parseArgs } from "node:util";
import pg from "pg";
import { startPostgres } from "../../src/storage/postgres/testing/start-postgres.ts";
import { flavours } from "./plan.ts";
import type { Flavour } from "./plan.ts";
import { expectPlayed, freshSeed } from "./play.ts";

/**
 * Plays runs with hostile timing one after the other, each on its own database:
 *
 *     npm run hostile -- --minutes 10
 *     npm run hostile -- --seed 3f2a91c4 --flavours late-statements --nodes 2 --seconds 16
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    flavours: { type: "string", default: flavours.join(",") },
    nodes: { type: "string", default: "3" },
    seconds: { type: "string", default: "15" },
    minutes: { type: "string", default: "0" },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const chosen = values.flavours.split(",") as Flavour[];
const [nodes, seconds, minutes] = [values.nodes, values.seconds, values.minutes].map(Number) as [
  number,
  number,
  number,
];
if (!chosen.every((each) => flavours.includes(each)) || !(nodes >= 1) || !(seconds >= 5)) {
  say(`--flavours are of ${flavours.join(", ")}; --nodes 1 or more; --seconds 5 or more`);
  process.exit(2);
}

const server = await startPostgres({ fsync: "off" });
const until = performance.now() + minutes * 60_000;
let number = 0;
try {
  do {
    const database = await makeDatabase(`hostile_${number++}`);
    const seed = values.seed ?? freshSeed();
    say(await expectPlayed(database, { seed, flavours: chosen, nodes, forMs: seconds * 1_000 }));
  } while (performance.now() < until);
} catch (error) {
  say((error as Error).message);
  process.exitCode = 1;
} finally {
  await server.stop();
}

async function makeDatabase(name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(server.url);
  url.pathname = name;
  return url.href;
}
