import { describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { expectRefusal } from "../support/expectations.ts";
import { rawRequest } from "../support/raw-request.ts";

const service = commonService();

describe("a path that does not exist is 404 with E-DI-1003", () => {
  test.each([
    "/",
    "/v1",
    "/v1/",
    "/v2/messages",
    "/messages",
    "/v1/message",
    "/v1/Messages/x",
    "/v1/messages/x/y",
    "/v1/messages/x/payload/y",
    "/v1/targets/x/messages",
    "/v1/targets/x/dead-letters/y",
    "/v1/jobs/x/y",
    "/v1/schedules/x/y",
    "/v1/schedule",
    "/v1/job",
    "/v1/stats/x",
    "/v1/dead-letters",
    "/favicon.ico",
    "/.env",
  ])("%s", async (path) => {
    expectRefusal(await service.api("GET", path), 404, { code: "E-DI-1003" });
  });
});

describe("a method that a path does not have is 405, with Allow", () => {
  test.each([
    ["PUT", "/v1/messages", ["GET", "POST"]],
    ["DELETE", "/v1/messages", ["GET", "POST"]],
    ["PUT", "/v1/messages/x", ["GET"]],
    ["DELETE", "/v1/messages/x", ["GET"]],
    ["PATCH", "/v1/messages/x", ["GET"]],
    ["POST", "/v1/messages/x/payload", ["GET"]],
    ["POST", "/v1/messages/x/attempts", ["GET"]],
    ["GET", "/v1/messages/x/cancel", ["POST"]],
    ["DELETE", "/v1/messages/x/cancel", ["POST"]],
    ["PUT", "/v1/messages/x/reschedule", ["POST"]],
    ["POST", "/v1/targets/x/scheduled-messages", ["GET"]],
    ["DELETE", "/v1/targets/x/dead-letters", ["GET"]],
    ["PUT", "/v1/targets", ["GET", "POST"]],
    ["POST", "/v1/targets/x", ["GET", "PATCH", "DELETE"]],
    ["PUT", "/v1/targets/x", ["GET", "PATCH", "DELETE"]],
    ["GET", "/v1/targets/x/pause", ["POST"]],
    ["GET", "/v1/targets/x/resume", ["POST"]],
    ["GET", "/v1/targets/x/test", ["POST"]],
    ["GET", "/v1/targets/x/rotate-secret", ["POST"]],
    ["PUT", "/v1/jobs", ["GET", "POST"]],
    ["DELETE", "/v1/jobs/x", ["GET", "PATCH"]],
    ["GET", "/v1/jobs/x/stop", ["POST"]],
    ["GET", "/v1/jobs/x/pause", ["POST"]],
    ["GET", "/v1/jobs/x/resume", ["POST"]],
    ["GET", "/v1/targets/x/dead-letters/redrive", ["POST"]],
    ["PUT", "/v1/keys", ["GET", "POST"]],
    ["DELETE", "/v1/schedules", ["GET", "POST"]],
    ["POST", "/v1/schedules/x", ["GET", "PUT", "PATCH", "DELETE"]],
    ["GET", "/v1/schedules/x/pause", ["POST"]],
    ["PUT", "/v1/schedules/x/trigger", ["POST"]],
    ["POST", "/v1/schedules/x/runs", ["GET"]],
    ["GET", "/v1/schedules/x/backfill", ["POST"]],
    ["POST", "/v1/stats", ["GET"]],
    ["POST", "/v1/stats/activity", ["GET"]],
    ["POST", "/v1/stats/targets", ["GET"]],
    ["DELETE", "/v1/forecast", ["GET"]],
    ["PUT", "/v1/dead-letters/groups", ["GET"]],
    ["POST", "/healthz", ["GET"]],
  ])("%s %s", async (method, path, allowed) => {
    for (const call of method === "GET" ? [{}] : [{}, { body: {} }]) {
      const answer = await service.api(method, path, call);
      expectRefusal(answer, 405, { code: "E-DI-1003" });
      const allow = (answer.headers.get("allow") ?? "").split(/,\s*/).toSorted();
      expect(allow.filter((each) => each !== "HEAD" && each !== "OPTIONS")).toEqual(
        allowed.toSorted(),
      );
    }
  });
});

describe("broken requests get an answer in the error format", () => {
  test.each([
    "/v1/messages/%",
    "/v1/messages/%zz",
    "/v1/messages/%ff",
    "/v1/messages/%C3%28/payload",
  ])("%s", async (path) => {
    const answer = await service.api("GET", path);
    expectRefusal(answer, 400, { code: "E-DI-1001" });
  });

  test.each([
    ["not HTTP", "hello\r\n\r\n"],
    ["a header without a colon", "GET /v1/targets HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n"],
    [
      "two lengths",
      "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    ],
    [
      "length and chunks",
      "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    ],
    ["no host", "GET /v1/targets HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ])("%s", async (_, request) => {
    const answer = await rawRequest(service.url, request);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toMatch(/"errors":\[\{"code":"E-DI-1001"/);
  });

  test("headers that are too large", async () => {
    const request = `GET /v1/targets HTTP/1.1\r\nHost: x\r\nX-Large: ${"a".repeat(200_000)}\r\n\r\n`;
    const answer = await rawRequest(service.url, request);
    expect(answer).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(answer).toMatch(/"errors":\[\{"code":"E-DI-100\d"/);
  });
});

test("HEAD answers as GET does, without a body", async () => {
  const answer = await service.api("HEAD", "/v1/targets");
  expect([answer.status, answer.text]).toEqual([200, ""]);
});

test("every answer has its own request id", async () => {
  const answers = [await service.api("GET", "/v1/targets"), await service.api("GET", "/nowhere")];
  const ids = answers.map((answer) => answer.headers.get("x-request-id"));
  expect(ids.every((id) => id !== null && id !== "")).toBe(true);
  expect(new Set(ids).size).toBe(2);
});
