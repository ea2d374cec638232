import { describe, expect, test } from "vitest";
import { createAddressPolicy, isCidr } from "./address-policy.ts";

describe("by default", () => {
  const policy = createAddressPolicy([]);

  test.each(["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "::8.8.8.8"])(
    "allows the public address %s",
    (address) => expect(policy.allows(address)).toBe(true),
  );

  test.each([
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["loopback", "::1"],
    ["unspecified", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["unspecified", "::"],
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private", "192.168.1.1"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["link-local", "169.254.1.1"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["site-local", "fec0::1"],
    ["unique-local", "fd12:3456::1"],
    ["metadata", "169.254.169.254"],
    ["metadata", "fd00:ec2::254"],
    ["metadata of Alibaba", "100.100.100.200"],
    ["metadata of Azure", "168.63.129.16"],
    ["metadata of Oracle", "192.0.0.192"],
    ["multicast", "224.0.0.1"],
    ["multicast", "ff02::1"],
    ["broadcast", "255.255.255.255"],
    ["reserved", "240.0.0.1"],
    ["documentation", "192.0.2.1"],
    ["documentation", "198.51.100.1"],
    ["documentation", "203.0.113.1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["benchmarking", "198.18.0.1"],
    ["benchmarking", "2001:2::1"],
    ["6to4 relay", "192.88.99.1"],
    ["NAT64", "64:ff9b::7f00:1"],
    ["NAT64 of a public address", "64:ff9b::808:808"],
    ["local NAT64", "64:ff9b:1::1"],
    ["6to4", "2002:7f00:1::"],
    ["Teredo", "2001::1"],
    ["translated", "::ffff:0:127.0.0.1"],
    ["IPv4-mapped loopback", "::ffff:127.0.0.1"],
    ["IPv4-mapped private", "::ffff:a00:1"],
    ["IPv4-compatible loopback", "::127.0.0.1"],
    ["ISATAP", "2606:4700::5efe:7f00:1"],
    ["ISATAP of a public address", "2606:4700::200:5efe:808:808"],
    ["discard", "100::1"],
    ["segment routing", "5f00::1"],
    ["not allocated", "4000::1"],
    ["no address", "example.com"],
    ["no address", ""],
  ])("refuses %s: %s", (_range, address) => expect(policy.allows(address)).toBe(false));
});

describe("with allowed blocks", () => {
  test("allows addresses inside the blocks and no others", () => {
    const policy = createAddressPolicy(["127.0.0.0/8", "fd00:1::/32", "::1/128"]);
    expect(policy.allows("127.0.0.1")).toBe(true);
    expect(policy.allows("::ffff:127.0.0.1")).toBe(true);
    expect(policy.allows("fd00:1::5")).toBe(true);
    expect(policy.allows("::1")).toBe(true);
    expect(policy.allows("fd00:2::5")).toBe(false);
    expect(policy.allows("10.0.0.1")).toBe(false);
    expect(policy.allows("8.8.8.8")).toBe(true);
  });

  test("a block of all IPv6 addresses does not allow IPv4 addresses inside them", () => {
    const policy = createAddressPolicy(["::/0"]);
    expect(policy.allows("fd00::1")).toBe(true);
    expect(policy.allows("::ffff:127.0.0.1")).toBe(false);
  });

  test("a block of mapped addresses means the IPv4 block inside it", () => {
    const policy = createAddressPolicy(["::ffff:10.0.0.0/104"]);
    expect(policy.allows("10.1.2.3")).toBe(true);
    expect(policy.allows("192.168.1.1")).toBe(false);
  });
});

test.each([
  ["10.0.0.0/8", true],
  ["::1/128", true],
  ["10.0.0.0", false],
  ["10.0.0.0/33", false],
  ["::/129", false],
  ["localhost/8", false],
  ["", false],
])("isCidr(%j) is %s", (text, expected) => expect(isCidr(text)).toBe(expected));
