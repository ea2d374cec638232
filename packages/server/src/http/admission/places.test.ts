import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { Places } from "./places.ts";

/** Places for so many requests: a quarter as many for strangers, and as many for the unverified. */
function scene(maxRequests: number) {
  const places = new Places({ maxRequests, bodyBudgetBytes: 1_000_000 });
  const from = (ip: string) =>
    ({ ip, holder: null, heldBytes: 0, answerBytes: 0 }) as FastifyRequest;
  return {
    places,
    from,
    /** How many of so many find a place. */
    fill: (count: number, enter: (index: number) => boolean) =>
      Array.from({ length: count }, (_, index) => enter(index)).filter(Boolean).length,
  };
}

test("strangers who have every place take none from a credential that is to be verified", () => {
  const { places, from, fill } = scene(40);
  expect(fill(50, (index) => places.enterAsStranger(from(`192.0.2.${index}`)))).toBe(10);
  expect(places.enterAsStranger(from("198.51.100.1"))).toBe(false);
  expect(places.enterUnverified(from("198.51.100.1"))).toBe(true);
});

test("those who make up credentials at one address leave places to every other", () => {
  const { places, from, fill } = scene(40);
  expect(fill(50, () => places.enterUnverified(from("192.0.2.1")))).toBe(5);
  // All of an IPv6 network of 64 bits is one address.
  expect(fill(50, (index) => places.enterUnverified(from(`2001:db8::${index}`)))).toBe(2);
  expect(places.enterUnverified(from("198.51.100.1"))).toBe(true);
});

test("those who make up credentials take nothing from accounts, nor from other strangers", () => {
  const { places, from, fill } = scene(40);
  expect(fill(50, (index) => places.enterUnverified(from(`192.0.2.${index}`)))).toBe(10);
  expect(fill(50, () => places.enter(from("198.51.100.1"), "acc_1"))).toBe(35);
  expect(places.enterAsStranger(from("198.51.100.1"))).toBe(true);
});

test("a credential that is found good gives its place back for one of its account", () => {
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
