/** All names of three letters that IANA has. */
const namesOfThreeLetters = new Set(
  "UTC GMT UCT CET EET MET WET EST MST HST PRC ROC ROK".split(" "),
);

/**
 * Whether a name such as BST or IST is meant as the abbreviation of a zone. It is none of IANA's, and `Intl` takes some of
 * them for zones that few people mean: BST for that of Dhaka, AST for that of Anchorage.
 */
export function isAbbreviation(name: string): boolean {
  const isShort = /^[a-z]{3}$/i.test(name);
  return (isShort && !namesOfThreeLetters.has(name.toUpperCase())) || /^SystemV\//i.test(name);
}
