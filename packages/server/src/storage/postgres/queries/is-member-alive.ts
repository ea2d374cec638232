/** A condition: a membership whose lease has ended holds nothing, whether or not another has taken its place. */
export const isMemberAlive = (epoch: string): string =>
  `EXISTS (SELECT 1 FROM nodes n WHERE n.epoch = ${epoch} AND n.lease_until > now_ms())`;
