// Upstream channels that help transcribe this machine's long files, each with its model, its health and its own usage
// record. See inference/shared-transcription.ts for how ranges are assigned.

import type { Routing } from "../contract/channels.ts";
import { AppError } from "../contract/errors.ts";
import type { TranscriptionEvent, TranscriptionJob } from "../contract/speech.ts";
import type { Log } from "../log.ts";
import type { UpstreamChannel } from "./config/channel-pool.ts";
import type { TranscriptionHelper } from "../inference/transcription-helper.ts";
import { clientClosedStatus, type Metering } from "../usage/metering.ts";
import type { ChannelAttempt } from "../usage/request-trace.ts";
import { transcribeTimed } from "./timed-transcription.ts";

export type UpstreamHelpersDeps = {
  registered(): readonly UpstreamChannel[];
  routing(): Routing;
  metering: Metering;
  log: Log;
};

/** Of the 16-bit, 16 kHz files sent to helpers. */
const helperBytesPerSec = 32_000;
/** Maximum concurrent requests per helper, even if its weight is higher. */
const maxConcurrentRequests = 8;

/** @returns channels that may help now; none unless the person enabled sharing */
export function createUpstreamHelpers({
  registered,
  routing,
  metering,
  log,
}: UpstreamHelpersDeps): () => readonly TranscriptionHelper[] {
  return () => {
    if (!routing().shareLongFiles) return [];
    return registered().flatMap((upstream) => {
      const { channel, config, health, weight } = upstream;
      const models = channel.models().filter(({ kind }) => kind === "speech-to-text");
      const model = models.find(({ id }) => id === "whisper-1") ?? models[0];
      if (!config.sharesLongFiles || model === undefined || !health.wouldAdmit()) return [];
      return [
        {
          name: channel.name,
          maxConcurrent: Math.min(weight, maxConcurrentRequests),
          transcribe: (job, signal) => transcribe(upstream, model.id, job, signal),
        },
      ];
    });
  };

  async function* transcribe(
    { channel, prefix, health, isPaid = false }: UpstreamChannel,
    model: string,
    job: TranscriptionJob,
    signal: AbortSignal,
  ): AsyncGenerator<TranscriptionEvent, void, undefined> {
    const ticket = health.admit();
    if (ticket === undefined) throw new AppError("channel.paused", { channel: channel.name });
    const meter = metering.start(
      job.callerId ?? "owner",
      job.task === "translate" ? "translations" : "transcriptions",
    );
    meter.metered.model = `${prefix ?? channel.name}/${model}`;
    const { trace } = meter.metered;
    const sentSec = (job.mediaBytes?.length ?? 0) / helperBytesPerSec;
    const channelAttempt: ChannelAttempt = {
      channel: channel.name,
      model: meter.metered.model,
      isPaid,
      hasFailed: false,
      mediaSec: sentSec,
    };
    meter.metered.expectedSec = sentSec;
    let status: number = clientClosedStatus;
    try {
      // If the key's budget does not allow the helper, this machine transcribes the rest.
      await trace.admit?.(channelAttempt);
      job.onChannelSelected?.(channel.name);
      for await (const event of transcribeTimed(
        channel,
        { ...job, model, textOnly: false },
        { wait: async () => {} },
        signal,
      )) {
        if (event.type === "done") {
          ticket.markStarted();
          ticket.markSucceeded();
          status = 200;
          meter.metered.audioSec = event.transcript.durationSec;
        }
        yield event;
      }
    } catch (error) {
      if (error instanceof AppError && !signal.aborted) {
        status = error.row.status;
        channelAttempt.hasFailed = !error.mayBeCharged;
        if (trace.latestAttempt === channelAttempt) {
          ticket.markFailed(error, status >= 500);
          log.warn(
            { channel: channel.name, err: error },
            "a channel failed to help with a long file",
          );
        }
      }
      throw error;
    } finally {
      ticket.markAbandoned();
      meter.end(status);
    }
  }
}
