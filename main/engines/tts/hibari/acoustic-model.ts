// hibari.onnx: phoneme ids → spectra and pitch, one frame per 12.5 ms. waveform.ts turns them into samples.

import { InferenceSession, Tensor } from "onnxruntime-node";
import { singleThreadOptions } from "../../session-options.ts";

/** Arrays of 601 bins × F frames, bin after bin: bin k of frame j is at k · stride + j. */
export type AcousticFrames = {
  frameCount: number;
  stride: number;
  /** ln of the amplitude of the harmonics, the noise and the remainder. */
  lh: Float32Array;
  ln: Float32Array;
  lr: Float32Array;
  /** Phases: of the harmonics as atanh(φ/π), of the remainder in radians. */
  theta: Float32Array;
  phi: Float32Array;
  /** Pitch per frame in Hz, about 0 where voiceless. */
  f0Hz: Float32Array;
};

export type AcousticModel = {
  /** `ids` start and end with 0. Always at the model's own pace; pace.ts changes it and says why. */
  run(ids: readonly number[]): Promise<AcousticFrames>;
  close(): Promise<void>;
};

export async function createAcousticModel(onnx: Uint8Array): Promise<AcousticModel> {
  const session = await InferenceSession.create(onnx, singleThreadOptions);
  return {
    async run(ids) {
      const outputs = await session.run({
        ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
        speed: new Tensor("float32", [1], [1]),
      });
      const readOutput = (name: string): Float32Array => {
        const data = outputs[name]?.data;
        if (!(data instanceof Float32Array))
          throw new TypeError(`hibari.onnx returned no float32 output ${name}`);
        return data;
      };
      const f0Hz = readOutput("f0");
      return {
        frameCount: f0Hz.length,
        stride: f0Hz.length,
        lh: readOutput("lh"),
        ln: readOutput("ln"),
        lr: readOutput("lr"),
        theta: readOutput("theta"),
        phi: readOutput("phi"),
        f0Hz,
      };
    },
    close: () => session.release(),
  };
}
