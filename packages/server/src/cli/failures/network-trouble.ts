/** An error of the network, of TLS or of HTTP, as far as its name goes. */
interface Named extends Error {
  readonly code?: string;
  readonly hostname?: string;
}

const noAnswer = "it does not answer. Check the address, and what stands in between";
const cut =
  "the connection was closed before the answer came. What was asked for may have happened all the same";
const untrusted =
  "its certificate is signed by nobody this machine trusts. Name the signer's certificate in NODE_EXTRA_CA_CERTS";
const noTls = "it does not speak TLS there. Try http:// in the address";
const noRoute = "there is no route to it. Check the address and the network of this machine";

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  ETIMEDOUT: noAnswer,
  UND_ERR_CONNECT_TIMEOUT: noAnswer,
  UND_ERR_HEADERS_TIMEOUT: "it took the request and did not answer in time",
  UND_ERR_BODY_TIMEOUT: "its answer stopped half way",
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  EADDRNOTAVAIL: noRoute,
  EACCES: "this machine does not allow the connection. Check its firewall",
  EPERM: "this machine does not allow the connection. Check its firewall",
  CERT_HAS_EXPIRED: "its certificate has expired. It needs a new one",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "its certificate is for another name. Write the address with the name that it is for",
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  EPROTO: noTls,
};

/**
 * Why something cannot be reached, in words that say what to do and without the last full stop;
 * undefined for what nobody foresaw.
 */
export function networkTrouble(error: unknown): string | undefined {
  const innermost = innermostOf(error);
  if (!(innermost instanceof Error)) return undefined;
  const { code = "", hostname } = innermost as Named;
  const name = hostname === undefined ? "its name" : `the name ${hostname}`;
  if (code === "ENOTFOUND") return `${name} is not known. Check how it is spelt`;
  if (code === "EAI_AGAIN") {
    return `${name} cannot be looked up. Check how it is spelt, and the network of this machine`;
  }
  if (code.startsWith("ERR_SSL_")) return noTls;
  if (code.startsWith("HPE_") || innermost.name === "HTTPParserError") {
    return "it does not answer as a web server does. Check the port, or try https:// in the address";
  }
  return sentences[code] ?? ofFetch[innermost.message];
}

/** What `fetch` itself refuses has no code. */
const ofFetch: Readonly<Record<string, string>> = {
  "bad port": "its port is set aside for another protocol. Choose another one",
  "unexpected redirect":
    "it answers with a redirect, and the key must not travel on. Name the address that it leads to",
};

/** `fetch` hides the reason behind "fetch failed", sometimes more than one level down. */
export function innermostOf(error: unknown): unknown {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) {
    innermost = innermost.cause;
  }
  return innermost;
}
