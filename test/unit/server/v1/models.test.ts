import { describe, expect, it } from "vitest";

import { modelList, modelObject, voiceList } from "../../../../main/contract/openai.ts";
import type { ModelInfo } from "../../../../main/contract/models.ts";
import { createFakeChannel } from "../../../support/fake-channel.ts";
import { toRegisteredChannel, createTestGateway } from "../../../support/gateway-server.ts";

const info = (id: string): ModelInfo => ({
  id,
  created: 1,
  ownedBy: "someone",
  kind: "speech-to-text",
});

describe("the model list", () => {
  it("has exactly the fields of OpenAI's API", async () => {
    const { request } = await createTestGateway();
    const list = modelList.parse(await (await request("/v1/models")).json());
    expect(list.data.map(({ id }) => id)).toEqual(["whisper-1", "tts-1", "tts-1-hd"]);
    expect(list.data[0]).toEqual({
      id: "whisper-1",
      object: "model",
      created: 1_700_000_000,
      owned_by: "hearsay",
    });
  });

  it("contains the models of every channel, and follows their changes", async () => {
    let remote = [info("openai/whisper-large")];
    const channels = [
      toRegisteredChannel(createFakeChannel()),
      toRegisteredChannel({ ...createFakeChannel(), models: () => remote }, "cloud"),
    ];
    const { request } = await createTestGateway({ channels });
    const ids = async () =>
      modelList.parse(await (await request("/v1/models")).json()).data.map(({ id }) => id);
    expect(await ids()).toEqual(["whisper-1", "tts-1", "tts-1-hd", "cloud/openai/whisper-large"]);
    remote = [info("new")];
    expect(await ids()).toEqual(["whisper-1", "tts-1", "tts-1-hd", "cloud/new"]);
  });
});

describe("one model", () => {
  it("is found with its slashes raw or escaped", async () => {
    const { request } = await createTestGateway({
      channels: [
        toRegisteredChannel(
          createFakeChannel({ models: [info("openai/whisper large:v3")] }),
          "cloud",
        ),
      ],
    });
    for (const path of [
      "cloud/openai/whisper%20large:v3",
      "cloud%2Fopenai%2Fwhisper%20large%3Av3",
    ]) {
      const model = modelObject.parse(await (await request(`/v1/models/${path}`)).json());
      expect(model.id).toBe("cloud/openai/whisper large:v3");
    }
  });

  it.each(["nothing", "__proto__", "constructor", "a/b/c", "whisper-1%252F"])(
    "responds for %j with 404 and the code of OpenAI's API",
    async (id) => {
      const { request } = await createTestGateway();
      const response = await request(`/v1/models/${id}`);
      expect(response.status).toBe(404);
      expect((await response.json()).error).toEqual({
        message: `The model '${decodeURIComponent(id)}' does not exist.`,
        type: "invalid_request_error",
        param: "model",
        code: "model_not_found",
      });
    },
  );

  it("with an invalid escape responds with 400", async () => {
    const { request } = await createTestGateway();
    expect((await request("/v1/models/%E0%A4%A")).status).toBe(400);
  });
});

describe("the endpoints for Open WebUI", () => {
  it("list voices, of a model or a language, and text-to-speech models", async () => {
    const { request } = await createTestGateway();
    const { voices } = voiceList.parse(await (await request("/v1/audio/voices")).json());
    expect(voices.map(({ id }) => id)).toEqual([
      "alloy",
      "echo",
      "fable",
      "onyx",
      "nova",
      "shimmer",
    ]);
    const listed = async (query: string) =>
      voiceList
        .parse(await (await request(`/v1/audio/voices?${query}`)).json())
        .voices.map(({ id }) => id);
    expect(await listed("language=EN-us&model=tts-1")).toHaveLength(6);
    expect(await listed("language=en")).toHaveLength(6);
    expect(await listed("language=e")).toEqual([]);
    expect(await listed("model=kokoro")).toEqual([]);
    expect(await (await request("/v1/audio/models")).json()).toEqual({
      models: [
        { id: "tts-1", name: "tts-1" },
        { id: "tts-1-hd", name: "tts-1-hd" },
      ],
    });
  });
});
