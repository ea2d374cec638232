import ipaddr from "ipaddr.js";
import type { RateLimit } from "../domain/rate-limit.ts";
import { formatDuration, parseDuration } from "./durations.ts";
import { InvalidValue } from "./invalid-value.ts";

/** How a setting's text becomes its value, and how the reference describes it. */
export interface KindOfValue<Value> {
  /** Stands for the value in help texts, as in `--port <number>`. */
  readonly placeholder: string;
  /** Describes the accepted values in the reference. */
  readonly accepts: string;
  /** All accepted values, if they are few. */
  readonly choices?: readonly string[];
  /** Throws `InvalidValue`. */
  readonly read: (text: string) => Value;
}

export function text(placeholder: string, accepts: string): KindOfValue<string> {
  return {
    placeholder,
    accepts,
    read(given) {
      if (given.trim() === "") throw new InvalidValue("is empty");
      return given;
    },
  };
}

export function wholeNumber(min: number, max: number): KindOfValue<number> {
  return {
    placeholder: "number",
    accepts: `a whole number from ${min} to ${max}`,
    read(given) {
      const value = Number(given);
      if (!/^\d+$/.test(given) || value < min || value > max) {
        throw new InvalidValue(`must be a whole number from ${min} to ${max}, not "${given}"`);
      }
      return value;
    },
  };
}

export function duration(min: string, max: string): KindOfValue<number> {
  const minMs = parseDuration(min);
  const maxMs = parseDuration(max);
  return {
    placeholder: "duration",
    accepts: `a duration from ${min} to ${max}`,
    read(given) {
      const valueMs = parseDuration(given);
      if (valueMs < minMs || valueMs > maxMs) {
        throw new InvalidValue(`must be from ${min} to ${max}, not ${formatDuration(valueMs)}`);
      }
      return valueMs;
    },
  };
}

export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  placeholder: string,
): KindOfValue<Choice> {
  return {
    placeholder,
    accepts: `one of ${choices.map((choice) => `\`${choice}\``).join(", ")}`,
    choices,
    read(given) {
      const choice = choices.find((candidate) => candidate === given);
      if (choice === undefined) {
        throw new InvalidValue(`must be one of ${choices.join(", ")}, not "${given}"`);
      }
      return choice;
    },
  };
}

export const addressRanges: KindOfValue<readonly string[]> = {
  placeholder: "cidr",
  accepts: "address ranges such as `10.0.0.0/8` or single addresses, separated by commas",
  read(given) {
    const parts = given.split(",").map((part) => part.trim());
    return parts.filter((part) => part !== "").map(readAddressRange);
  },
};

function readAddressRange(given: string): string {
  const wrong = `contains something that is not an address range: "${given}"; write it like 10.0.0.0/8 or fd00::/8`;
  // ipaddr.js also accepts the shorthand "10.1" as 10.0.0.1, which people rarely mean.
  const plain = given.includes(":") || /^\d+(\.\d+){3}(\/|$)/.test(given);
  if (!plain) throw new InvalidValue(wrong);
  try {
    if (given.includes("/")) {
      const [address, bits] = ipaddr.parseCIDR(given);
      return `${address.toString()}/${bits}`;
    }
    const address = ipaddr.parse(given);
    return `${address.toString()}/${address.kind() === "ipv4" ? 32 : 128}`;
  } catch {
    throw new InvalidValue(wrong);
  }
}

export const rootKey = keyWith("pd_");
export const operatorKey = keyWith("pdo_");

/** The error never repeats the given text: a mistyped key is still nearly a key. */
function keyWith(prefix: string): KindOfValue<string> {
  const pattern = new RegExp(`^${prefix}[A-Za-z0-9_-]{16,128}$`);
  return {
    placeholder: "key",
    accepts: `\`${prefix}\` and 16 to 128 letters, digits, \`_\` or \`-\``,
    read(given) {
      if (!pattern.test(given)) {
        throw new InvalidValue(`must be ${prefix} followed by 16 to 128 letters, digits, _ or -`);
      }
      return given;
    },
  };
}

export const rateLimit: KindOfValue<RateLimit> = {
  placeholder: "count/duration",
  accepts:
    "a count and a duration such as `100/1s`: a burst of up to 100, refilled evenly over 1 s",
  read(given) {
    const [, count, interval] = /^\s*(\d{1,9})\s*\/\s*(.+)$/.exec(given) ?? [];
    const max = Number(count);
    if (count === undefined || interval === undefined || max === 0) {
      throw new InvalidValue(`must be a count and a duration such as 100/1s, not "${given}"`);
    }
    const intervalMs = parseDuration(interval);
    if (intervalMs < 1 || intervalMs > 86_400_000) {
      throw new InvalidValue(`must count over 1ms to 24h, not over ${interval}`);
    }
    return { max, intervalMs };
  },
};

export const webUrl: KindOfValue<string> = {
  placeholder: "url",
  accepts: "an `http` or `https` address without query or fragment",
  read(given) {
    const url = URL.parse(given);
    const plain = url !== null && url.search === "" && url.hash === "" && url.username === "";
    if (!plain || !["http:", "https:"].includes(url.protocol)) {
      throw new InvalidValue(
        `must be an address such as https://postdate.example.com, without query or fragment, not "${given}"`,
      );
    }
    return given.trim().replace(/\/+$/, "");
  },
};

export const ratio: KindOfValue<number> = {
  placeholder: "ratio",
  accepts: "a number from 0 to 1, such as `0.01`",
  read(given) {
    const value = Number(given);
    if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(given) || value > 1) {
      throw new InvalidValue(`must be a number from 0 to 1, not "${given}"`);
    }
    return value;
  },
};

/** The mistake does not repeat the text, which holds secrets. */
export const otlpHeaders: KindOfValue<string> = {
  placeholder: "headers",
  accepts: "`name=value`, percent-encoded, several separated by commas",
  read(given) {
    const isPair = (text: string): boolean =>
      /^\s*[!#$%&'*+.^_`|~\w-]+=(?:[^%,;]|%[\da-f]{2})+$/i.test(text);
    if (!given.split(",").every(isPair)) {
      throw new InvalidValue("must be name=value, percent-encoded, several separated by commas");
    }
    return given;
  },
};

export const encryptionKey: KindOfValue<Uint8Array> = {
  placeholder: "key",
  accepts: "32 bytes, as 64 hexadecimal digits or as base64",
  read(given) {
    if (/^[0-9a-fA-F]{64}$/.test(given)) return Buffer.from(given, "hex");
    const bytes = Buffer.from(given, "base64");
    if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(given) || bytes.length !== 32) {
      throw new InvalidValue(
        "must be 32 bytes, as 64 hexadecimal digits or as base64; `openssl rand -hex 32` makes one",
      );
    }
    return bytes;
  },
};

export const encryptionKeys: KindOfValue<readonly Uint8Array[]> = {
  placeholder: "keys",
  accepts: `${encryptionKey.accepts}, several separated by commas`,
  read: (given) => given.split(",").map((each) => encryptionKey.read(each.trim())),
};

export const databaseUrl: KindOfValue<string> = {
  placeholder: "url",
  accepts: "`postgres://user:password@host:port/database`",
  read(given) {
    const [, authority] = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(given) ?? [];
    if (authority === undefined) {
      throw new InvalidValue("must be a URL that begins with postgres://");
    }
    if (authority.slice(authority.lastIndexOf("@") + 1).includes(",")) {
      throw new InvalidValue(
        "names several hosts, which is not supported: name one that leads to the primary",
      );
    }
    if (!URL.canParse(given)) {
      throw new InvalidValue(
        "cannot be read as a URL: write it like postgres://user:password@host:5432/database, with %40 for an @ in the password",
      );
    }
    return given;
  },
};
