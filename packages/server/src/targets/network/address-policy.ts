import ipaddr from "ipaddr.js";

/** Decides which addresses the service may connect to. */
export interface AddressPolicy {
  /** `address` is an IP address in any notation. Any other text is refused. */
  allows(address: string): boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = readonly [Address, number];

/** Allows public addresses, and every address in one of the given CIDR blocks. */
export function createAddressPolicy(allowedCidrs: readonly string[]): AddressPolicy {
  const allowed = allowedCidrs.map(parseBlock);
  return {
    allows(text) {
      if (!ipaddr.isValid(text)) return false;
      const address = unwrapAddress(ipaddr.parse(text));
      return isPublic(address) || allowed.some((block) => isInside(address, block));
    },
  };
}

export function isCidr(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

function parseBlock(text: string): Block {
  const [address, bits] = ipaddr.parseCIDR(text);
  const inner = unwrapAddress(address);
  const isWrapped = inner !== address && bits >= wrapperBits;
  return isWrapped ? [inner, bits - wrapperBits] : [address, bits];
}

function isInside(address: Address, [network, bits]: Block): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

const wrapperBits = 96;
const mapped = ipaddr.parseCIDR("::ffff:0:0/96");
const compatible = ipaddr.parseCIDR("::/96");

/** The IPv4 address inside `::ffff:a.b.c.d` or `::a.b.c.d`. The packets would go there. */
function unwrapAddress(address: Address): Address {
  if (address.kind() === "ipv4") return address;
  const isWrapper = address.match(mapped) || (address.match(compatible) && !isLowest(address));
  return isWrapper ? ipaddr.fromByteArray(address.toByteArray().slice(-4)) : address;
}

/** `::` and `::1` are in the range of IPv4-compatible addresses but belong to IPv6 itself. */
function isLowest(address: Address): boolean {
  return ["unspecified", "loopback"].includes(address.range());
}

const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Looks public, but Azure serves the metadata of every guest there. Other clouds use link-local addresses.
 */
const azureMetadata = "168.63.129.16";

function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4"
    ? address.toString() !== azureMetadata
    : address.match(globalUnicast) && !isTunnelToIpv4(address);
}

/** ISATAP (RFC 5214): with any prefix, an interface of this form leads to the IPv4 address inside. */
function isTunnelToIpv4(address: Address): boolean {
  const [flags = 0, ...marker] = address.toByteArray().slice(8, 12);
  return (flags & 0xfd) === 0 && marker.join() === "0,94,254";
}
