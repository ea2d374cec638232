/** The host has no address that the policy allows. */
export class AddressRefused extends Error {
  constructor(hostname: string) {
    super(`the address of ${hostname} is not allowed`);
  }
}

export class LookupFailed extends Error {
  constructor(hostname: string, cause?: NodeJS.ErrnoException) {
    const code = cause?.code === undefined ? "" : ` (${cause.code})`;
    super(`the host name ${hostname} could not be resolved${code}`, { cause });
  }
}
