/** Stands in for the account id in lists that cover all accounts. No account can have this id. */
export const operatorWalkId = "operator:";
