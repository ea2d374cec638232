/**
 * Preloaded into a process (`NODE_OPTIONS=--require`), its threads included: the wall clock is off by
 * `WALL_CLOCK_OFFSET_MS`, monotonic time is as it was.
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
