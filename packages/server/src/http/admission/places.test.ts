import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { Places } from "./places.ts";

/** Places for this many requests: a quarter as many for strangers, and another quarter for the unverified. */
function scene(maxRequests: number) {
  const places = new Places({ maxRequests, bodyBudgetBytes: 1_000_000 });
  const from = (ip: string) =>
    ({ ip, holder: null, heldBytes: 0, answerBytes: 0 }) as FastifyRequest;
  return {
    places,
    from,
    /** How many of these requests find a place. */
    fill: (count: number, enter: (index: number) => boolean) =>
      Array.from({ length: count }, (_, index) => enter(index)).filter(Boolean).length,
  };
}

test("strangers who hold all their places take none from a credential that is not verified yet", () => {
  const { places, from, fill } = scene(40);
  expect(fill(50, (index) => places.enterAsStranger(from(`192.0.2.${index}`)))).toBe(10);
  expect(places.enterAsStranger(from("198.51.100.1"))).toBe(false);
  expect(places.enterUnverified(from("198.51.100.1"))).toBe(true);
});

test("made-up credentials from one address leave places to every other address", () => {
  const { places, from, fill } = scene(40);
  expect(fill(50, () => places.enterUnverified(from("192.0.2.1")))).toBe(5);
  // A whole IPv6 /64 counts as one address.
  expect(fill(50, (index) => places.enterUnverified(from(`2001:db8::${index}`)))).toBe(2);
  expect(places.enterUnverified(from("198.51.100.1"))).toBe(true);
});

test("made-up credentials take no places from accounts or from other strangers", () => {
  const { places, from, fill } = scene(40);
  expect(fill(50, (index) => places.enterUnverified(from(`192.0.2.${index}`)))).toBe(10);
  expect(fill(50, () => places.enter(from("198.51.100.1"), "acc_1"))).toBe(35);
  expect(places.enterAsStranger(from("198.51.100.1"))).toBe(true);
});

test("marked keys compete by address, only with each other", () => {
  const { places, from, fill } = scene(40);
  expect(fill(50, () => places.enterUnverified(from("192.0.2.1")))).toBe(5);
  expect(fill(50, () => places.enterUnverified(from("192.0.2.1"), true))).toBe(35);
  expect(fill(50, (index) => places.enterUnverified(from(`192.0.2.${index}`), true))).toBe(49);
  expect(fill(50, () => places.enter(from("192.0.2.1"), "acc_1"))).toBe(35);
});

test("a request whose credential proves valid swaps its place for one of its account", () => {
  const { places, from, fill } = scene(4);
  const request = from("192.0.2.1");
  expect(places.enterUnverified(request)).toBe(true);
  expect(places.enterUnverified(from("192.0.2.2"))).toBe(false);
  expect(places.enter(request, "acc_1")).toBe(true);
  const next = from("192.0.2.2");
  expect(places.enterUnverified(next)).toBe(true);
  places.leave(request);
  places.leave(next);
  expect(fill(1, () => places.enterUnverified(from("192.0.2.3")))).toBe(1);
});
