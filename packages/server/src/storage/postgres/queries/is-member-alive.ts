/** A condition. A membership ends when its node leaves, or when another has seen it silent for its whole lease. */
export const isMemberAlive = (epoch: string): string =>
  `EXISTS (SELECT 1 FROM nodes n WHERE n.epoch = ${epoch})`;
