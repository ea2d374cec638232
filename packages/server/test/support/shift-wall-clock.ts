/**
 * Preloaded into a process and its threads (`NODE_OPTIONS=--require`). Shifts the wall clock by
 * `WALL_CLOCK_OFFSET_MS` and leaves monotonic time as it is.
 */
const offsetMs = Number(process.env["WALL_CLOCK_OFFSET_MS"]);
const RightDate = Date;
const now = (): number => RightDate.now() + offsetMs;

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args, made) =>
    Reflect.construct(target, args.length > 0 ? args : [now()], made),
  apply: () => new RightDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
