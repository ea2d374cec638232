/** Every row of a table or list of the page that leads somewhere, by the link that opens it. */
function linksOfRows(): HTMLElement[] {
  const rows = document.querySelectorAll("main tbody tr, main [data-rows] > li");
  return [...rows].flatMap((row) => row.querySelector<HTMLElement>("a[href]") ?? []);
}

/** Moves the focus to the next row or the one before, from wherever in a row it is. */
export function moveInRows(by: 1 | -1): void {
  const links = linksOfRows();
  const row = document.activeElement?.closest("tr, [data-rows] > li");
  const at = links.findIndex((link) => row?.contains(link) === true);
  const next = at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1);
  links[next]?.focus();
}
