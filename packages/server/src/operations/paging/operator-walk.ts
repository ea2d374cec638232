/** Stands where a walk has its account, in the walks that go over all of them; no account can have it. */
export const operatorWalkId = "operator:";
