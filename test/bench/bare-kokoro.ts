// A process with Kokoro's engine alone and another graph of it, such as the export as it comes. Speaks the sentences of
// each message, and answers with its time.

import { InferenceSession, Tensor } from "onnxruntime-node";
import { createModelFiles } from "../../main/engines/model-files.ts";
import { sessionOptions } from "../../main/engines/session-options.ts";
import { createKokoro } from "../../main/engines/tts/kokoro/kokoro.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";

const [, , graphPath = ""] = process.argv;
const model = shippedModel("kokoro");
const session = await InferenceSession.create(graphPath, sessionOptions(2));
const kokoro = await createKokoro({
  read: createModelFiles(model).read,
  readHibari: createModelFiles(shippedModel("hibari")).read,
  voices: model.voices ?? [],
  openGraph: async () => ({
    async run({ phonemeIds, style, speed }) {
      const outputs = await session.run({
        tokens: new Tensor("int64", BigInt64Array.from(phonemeIds, BigInt), [1, phonemeIds.length]),
        style: new Tensor("float32", style, [1, style.length]),
        speed: new Tensor("float32", [speed], [1]),
      });
      return outputs["audio"]?.data as Float32Array;
    },
    close: () => session.release(),
  }),
});

process.on("message", async (sentences: readonly string[]) => {
  const start = performance.now();
  for (const text of sentences)
    await kokoro.synthesize(
      text,
      { voice: "af_nova", speed: 1, quality: "standard" },
      new AbortController().signal,
    );
  process.send?.(performance.now() - start);
});
process.on("disconnect", () => process.exit());
