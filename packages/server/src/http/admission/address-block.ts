import ipaddr from "ipaddr.js";

/** Whoever has one IPv6 address has 2^64 of them: they count as one, as an IPv4 address does. */
export function addressBlock(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  return `${address.toByteArray().slice(0, 8).join(".")}/64`;
}
