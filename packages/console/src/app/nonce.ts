import { setNonce } from "get-nonce";

/** The page's policy lets only styles with this pass. Browsers hide the attribute, and show the property. */
const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
setNonce(nonce);

export const styleNonce = (): string => nonce;
