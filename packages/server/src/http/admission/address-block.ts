import ipaddr from "ipaddr.js";

/** A client with one IPv6 address usually has a whole /64 of them. The /64 counts as one address. */
export function addressBlock(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  return `${address.toByteArray().slice(0, 8).join(".")}/64`;
}
