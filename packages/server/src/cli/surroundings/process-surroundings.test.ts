import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";

const surroundings = new URL("./process-surroundings.ts", import.meta.url).href;

/** Prints until its output is gone. Without a listener it has nothing to clean up. */
function printer({ listens }: { readonly listens: boolean }): string {
  return `
    import { processSurroundings } from ${JSON.stringify(surroundings)};
    const { onOutputGone } = processSurroundings();
    const timer = setInterval(() => process.stdout.write("a line\\n"), 10);
    if (${listens}) {
      const end = onOutputGone((trouble) => {
        process.stderr.write(\`cleaned up: \${trouble?.code}\\n\`);
        end();
        clearInterval(timer);
      });
    }`;
}

function start(script: string, stdout: "pipe" | number) {
  const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script];
  return spawn(process.execPath, flags, { stdio: ["ignore", stdout, "pipe"] });
}

describe.skipIf(process.platform === "win32")("a command that has something to clean up", () => {
  test("does so when its terminal is closed, also if it has redirected everything", async () => {
    const child = start(printer({ listens: true }), "pipe");
    const said = text(child.stderr!);
    await once(child.stdout!, "data");
    child.stdout!.resume();
    child.kill("SIGHUP");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await said).toBe("cleaned up: undefined\n");
  });

  test("does so when nobody reads on", async () => {
    const child = start(printer({ listens: true }), "pipe");
    const said = text(child.stderr!);
    await once(child.stdout!, "data");
    child.stdout!.destroy();
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await said).toBe("cleaned up: undefined\n");
  });

  test.skipIf(!existsSync("/dev/full"))("does so when the disk is full", async () => {
    const child = start(printer({ listens: true }), openSync("/dev/full", "w"));
    const said = text(child.stderr!);
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await said).toBe("cleaned up: ENOSPC\n");
  });
});

test.skipIf(!existsSync("/dev/full"))(
  "any other command ends at once, with a sentence",
  async () => {
    const child = start(printer({ listens: false }), openSync("/dev/full", "w"));
    const said = text(child.stderr!);
    expect(await once(child, "exit")).toEqual([1, null]);
    expect(await said).toBe("Cannot write the output: the disk is full.\n");
  },
);
