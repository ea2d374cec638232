/** An error of the network, of TLS or of HTTP, with its names. */
interface Named extends Error {
  readonly code?: string;
  readonly hostname?: string;
}

const noAnswer = "it does not answer. Check the address, and any firewall or proxy on the way";
const cut =
  "the connection was closed before the answer came. The request may still have taken effect";
const untrusted =
  "this machine does not trust the signer of its certificate. Name the signer's certificate in NODE_EXTRA_CA_CERTS";
const noTls = "it does not use TLS there. Try http:// in the address";
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
 * Why an address cannot be reached and what to do, without the last full stop; undefined for an unknown
 * error.
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
  if (code.startsWith("HPE_") || /does not match the HTTP\/1\.1 protocol/.test(innermost.message)) {
    return "it does not answer as a web server does. Check the port, or try https:// in the address";
  }
  return sentences[code] ?? ofFetch[innermost.message];
}

/** For an answer that leads elsewhere. */
export const redirected =
  "it answers with a redirect, and the key must not be sent on. Name the address that it leads to";

/** Errors of `fetch` itself have no code. */
const ofFetch: Readonly<Record<string, string>> = {
  "bad port": "its port is reserved for another protocol. Choose another one",
};

/** `fetch` hides the reason behind "fetch failed", sometimes several levels deep. */
export function innermostOf(error: unknown): unknown {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) {
    innermost = innermost.cause;
  }
  return innermost;
}
