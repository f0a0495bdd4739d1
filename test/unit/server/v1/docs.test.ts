import { describe, expect, it } from "vitest";

import { errorTable } from "../../../../main/contract/error-table.ts";
import { createTestGateway } from "../../../support/gateway-server.ts";

describe("/openapi.json", () => {
  it("describes every field of an upload as it is sent", async () => {
    const { request } = await createTestGateway();
    const { openapi, paths } = await (await request("/openapi.json")).json();
    expect(openapi).toBe("3.1.0");
    const { schema } =
      paths["/audio/transcriptions"].post.requestBody.content["multipart/form-data"];
    expect(schema.required).toEqual(["file", "model"]);
    expect(schema.properties).toMatchObject({
      file: { type: "string", format: "binary" },
      temperature: { type: "number", minimum: 0, maximum: 1 },
      response_format: {
        enum: ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"],
        default: "json",
      },
      "timestamp_granularities[]": { type: "array" },
      stream: { type: "boolean" },
    });
  });

  it("describes the limits of speech", async () => {
    const { request } = await createTestGateway();
    const { paths } = await (await request("/openapi.json")).json();
    const { schema } = paths["/audio/speech"].post.requestBody.content["application/json"];
    expect(schema.required).toEqual(["model", "input", "voice"]);
    expect(schema.properties.input).toMatchObject({ type: "string", maxLength: 4096 });
    expect(JSON.stringify(schema.properties.speed)).toContain('"minimum":0.25,"maximum":4');
  });
});

describe("/docs", () => {
  it("is one page without external assets", async () => {
    const { request } = await createTestGateway();
    const response = await request("/docs");
    const page = await response.text();
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page).not.toMatch(/<(script|link|img|iframe)|url\(|@import/);
    expect(page).toContain("light dark");
  });

  it("describes endpoints, fields, limits, examples and all kinds of errors", async () => {
    const { request } = await createTestGateway();
    const page = await (await request("/docs")).text();
    for (const text of [
      "/v1/audio/transcriptions",
      "/v1/audio/translations",
      "/v1/audio/speech",
      "/v1/models/{model}",
      "timestamp_granularities[]",
      "From 0.25 to 4.",
      "At most 4096 characters.",
      "file too large",
      "conversation.item.input_audio_transcription.delta",
      "new WebSocket(&quot;ws://127.0.0.1/v1/realtime",
      "curl http://127.0.0.1/v1/audio/speech",
      "HEARSAY_WYOMING_PORT=10300",
    ]) {
      expect(page).toContain(text);
    }
    for (const { type } of Object.values(errorTable)) expect(page).toContain(type);
  });
});
