import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";

/**
 * What the seeds of fresh worlds begin with. Each content has worlds of its own, the same wherever and in
 * whichever commit it is tested, so that a content seen to pass passes. While there are changes, every run
 * has others.
 */
export function seedsOfTree(): string {
  try {
    if (git("status", "--porcelain") === "") return git("rev-parse", "HEAD^{tree}").slice(0, 8);
  } catch {
    // A copy without its history.
  }
  return randomBytes(4).toString("hex");
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}
