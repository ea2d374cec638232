import { fastify } from "fastify";
import type { FastifyInstance } from "fastify";
import { namedSchemas, ScheduleBatch, ScheduleMessage, named } from "@postdate/contract";
import { answerCalls } from "../processes/answer-calls.ts";

/** The limit of accepting: Fastify parses the body, checks it against the contract, and stores nothing. */
let app: FastifyInstance | undefined;

const calls = {
  async listen(): Promise<string> {
    app = fastify({
      bodyLimit: 16 * 1_024 * 1_024,
      ajv: {
        customOptions: {
          coerceTypes: false,
          removeAdditional: false,
          validateFormats: false,
          discriminator: true,
          allowUnionTypes: true,
        },
      },
    });
    for (const schema of namedSchemas) app.addSchema(schema);
    const answer = {
      response: { 200: { type: "object", properties: { accepted: { type: "integer" } } } },
    };
    app.post("/v1/messages", { schema: { body: named(ScheduleMessage), ...answer } }, async () => ({
      accepted: 1,
    }));
    app.post(
      "/v1/messages/batch",
      { schema: { body: named(ScheduleBatch), ...answer } },
      async (request) => ({
        accepted: (request.body as { messages: unknown[] }).messages.length,
      }),
    );
    return app.listen({ host: "127.0.0.1", port: 0 });
  },
};
export type FastifyLimitCalls = typeof calls;
answerCalls(calls);
