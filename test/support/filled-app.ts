// Fills an app through its own HTTP interface as after a day of use: transcribed recordings, a generated narration and
// a script, a channel, keys, requests.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Item } from "../../main/contract/library-item.ts";
import type { Purpose } from "../../main/contract/network.ts";
import { openFolder, writeAudioFile, synthesizeSamples } from "./test-data.ts";
import type { AppWithWindow } from "./app-with-window.ts";

/**
 * The narration was made by Hibari; the same script is to be read by Kokoro, which has most voices, and blends them.
 */
export type SampleContent = { transcript: Item; narration: Item; script: Item };

const interview = [
  "Good morning, and thank you for coming. Please tell us how the project began.",
  "It began in a small kitchen in Leicester, with two microphones and a kettle that would not stop whistling.",
  "We wrote down every word by hand. An hour of talk took us a whole day.",
  "And then somebody asked whether the machine could not listen for us?",
  "Yes. That question cost us three years, and I would ask it again tomorrow.",
  "What surprised you most about the people who use it?",
  "That they read. We thought they would search. They read every line, and they correct the names of their aunts.",
].join(" ");

const script = `# The Harbour

The harbour was quiet that morning. A single boat lay at the pier, and nobody was in it.

[onyx] "You are early," said the keeper of the light.

[nova] "The tide does not wait," she answered. She had come four hundred miles to say so.

[pause 1.5s]

# The Light

At noon the fog came in. It took the pier first, then the boat, and at last the two of them.
`;

const departures: readonly (readonly [url: string, Purpose])[] = [
  ["https://api.openai.com/v1/models", { kind: "channel", name: "OpenAI" }],
  ["https://hub.example/model.onnx", { kind: "model-download", name: "" }],
  ["https://updates.example/latest.yml", { kind: "update", name: "" }],
];

/** @param app an app with an empty library; another Hearsay's base URL and key may become its channel */
export async function fillApp(
  app: AppWithWindow,
  channel?: { baseUrl: string; key: string },
): Promise<SampleContent> {
  const folder = await openFolder();
  try {
    const upload = async (name: string, samples: Float32Array): Promise<Item> => {
      const path = await writeAudioFile(join(folder.path, name), samples);
      return (await (
        await app.send(`/app/uploads?name=${encodeURIComponent(name)}`, {
          method: "POST",
          body: await readFile(path),
        })
      ).json()) as Item;
    };
    const speechSamples = await synthesizeSamples(interview, "onyx");
    const first = await upload("Interview in Leicester.mp3", speechSamples);
    const others = [
      await upload(
        "Voice memo.wav",
        await synthesizeSamples(
          "Call the printer about the second edition. The cover is too dark.",
        ),
      ),
      await upload("Sounds of the kettle.wav", new Float32Array(48_000)),
    ];
    await app.call("changeItem", { tags: ["interview", "book"] }, first.id);
    const [narration, inManyVoices] = await Promise.all(
      ["tts-1", "tts-1-hd"].map((model) =>
        app.call("createNarration", {
          title: "The Harbour",
          script,
          options: { model, voice: "nova", speed: 1 },
        }),
      ),
    );
    if (narration === undefined || inManyVoices === undefined) throw new Error("none was created");
    await app.call("makeNarration", {}, narration.id);
    await app.call("createKey", {
      name: "Home Assistant",
      scopes: ["transcribe", "speech"],
      monthlyBudgetUsd: 5,
    });
    await app.call("createKey", { name: "Obsidian" });
    await app.call("changeVocabulary", {
      entries: [
        { word: "Saoirse Okonkwo", heard: "Sayers Akonko", says: "Seersha Okonkwo" },
        { word: "PyTorch", heard: "pie torch", says: "" },
        { word: "Kubernetes", heard: "", says: "" },
      ],
    });
    await app.call("addChannel", {
      name: "Workstation",
      prefix: "workstation",
      baseUrl: channel?.baseUrl ?? "http://127.0.0.1:9/v1",
      paid: false,
      ...(channel === undefined ? {} : { key: channel.key }),
    });
    for (const [url, purpose] of departures)
      app.app.outbound.record(url, purpose, {
        requests: 3,
        sentBytes: 83_000,
        receivedBytes: 4_200_000,
      });
    for (const input of [
      "The first request of the day.",
      "And a second one, a little longer than the first.",
    ]) {
      await (
        await app.send("/v1/audio/speech", {
          method: "POST",
          body: JSON.stringify({ model: "tts-1", voice: "alloy", input }),
        })
      ).arrayBuffer();
    }
    await Promise.all([first, ...others, narration].map(({ id }) => app.waitUntilFinished(id)));
    const { revision, segments } = await app.call("readDocument", {}, first.id);
    await app.call(
      "changeDocument",
      {
        revision,
        put: segments.map((segment, at) => ({
          ...segment,
          speaker: at % 3 === 0 ? "Anna" : "Ben Whitaker",
        })),
        remove: [],
      },
      first.id,
    );
    return {
      transcript: await app.call("readItem", {}, first.id),
      narration: await app.call("readItem", {}, narration.id),
      script: await app.call("readItem", {}, inManyVoices.id),
    };
  } finally {
    await folder.remove();
  }
}
