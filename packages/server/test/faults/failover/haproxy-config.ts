interface Server {
  readonly name: string;
  readonly postgresPort: number;
  readonly restPort: number;
}

/** As in Patroni's documentation: HAProxy uses the member that answers 200 at /primary. */
export function haproxyConfig(port: number, servers: readonly Server[]): string {
  return `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers
  .map(
    ({ name, postgresPort, restPort }) =>
      `  server ${name} 127.0.0.1:${postgresPort} check port ${restPort}`,
  )
  .join("\n")}
`;
}
