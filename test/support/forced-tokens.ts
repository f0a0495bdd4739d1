// What our Whisper makes of tokens that another loop chose: told the same ones before, would it choose the same next?
// Where only the weights differ it nearly always would, and is torn between the two where not.

import type { TranscriptSegment } from '../../main/contract/speech.ts';
import { modelFileReader } from '../../main/engines/model-files.ts';
import { choose } from '../../main/engines/stt/decoder-step.ts';
import { readConfiguration } from '../../main/engines/stt/whisper/configuration.ts';
import { createGraphs } from '../../main/engines/stt/whisper/graphs.ts';
import { createLogMel } from '../../main/engines/stt/whisper/log-mel.ts';
import { applyRules } from '../../main/engines/stt/whisper/rules.ts';
import { modelBundle } from '../../main/models/store.ts';

export type Forced = {
  /** The end counts as one. */
  tokens: number;
  /** Those of theirs where ours would be another, and by how much its logit is above that of theirs, in nats. */
  others: { token: number; isTimestamp: boolean; gapNats: number }[];
};

export type ForcedModel = {
  /**
   * @param samples of one window, mono at 16 kHz
   * @param segments of it, with all tokens but the end
   */
  force(samples: Float32Array, segments: readonly TranscriptSegment[], options: { language: string; task: 'transcribe' | 'translate'; timestamps: boolean }): Promise<Forced>;
  close(): Promise<void>;
};

export async function openForcedModel(id: string): Promise<ForcedModel> {
  const bundle = modelBundle(id);
  const read = modelFileReader(bundle);
  const { configuration } = await readConfiguration(async (name) => new TextDecoder().decode(await read(name)));
  const graphs = await createGraphs(read, bundle.files.map(({ name }) => name), configuration.melBands);
  const logMel = createLogMel({ melBands: configuration.melBands });
  const { startToken, endToken, noTimestampsToken, firstTimestamp, languages, tasks, encoderFrames } = configuration;
  return {
    async force(samples, segments, { language, task, timestamps }) {
      const states = await graphs.encode(logMel(samples, 2 * encoderFrames));
      const tokens = segments.flatMap((segment) => segment.tokens);
      const prompt = [startToken, languages.get(language) ?? 0, tasks?.[language === 'en' ? 'transcribe' : task] ?? 0, ...(timestamps ? [] : [noTimestampsToken])];
      const step = await graphs.step(graphs.begin([states]), [[...prompt, ...tokens]], []);
      const others = [...tokens, endToken].flatMap((theirs, place) => {
        const logits = step.logits(0, prompt.length - 1 + place);
        applyRules(logits, tokens.slice(0, place), timestamps, configuration);
        const { token: ours } = choose(logits, 0, () => 0);
        return ours === theirs ? [] : [{ token: theirs, isTimestamp: theirs >= firstTimestamp, gapNats: (logits[ours] as number) - (logits[theirs] as number) }];
      });
      return { tokens: tokens.length + 1, others };
    },
    close: graphs.close,
  };
}
