/** Thrown for a stored schedule in a zone that this process's time-zone data does not know. */
export class UnknownTimeZone extends Error {
  constructor(name: string) {
    super(`There is no time zone ${name}`);
    this.name = "UnknownTimeZone";
  }
}
