// What the router reports about a request in progress: the channels tried, the one that responded, and what providers
// may charge.

/** The channel that serves the request. Created by the caller; the router fills it in when the response begins. */
export type RequestTrace = {
  channel?: string;
  model?: string;
  isPaid?: boolean;
  attempts: number;
  /** The latest attempt, set before its response. */
  latestAttempt?: ChannelAttempt;
  /** Failed attempts that a provider may still charge for. */
  chargedAttempts?: ChannelAttempt[];
  /**
   * Called before each attempt. If it throws, the router tries the next offer.
   * @param measureSec duration of the audio to send
   * @throws AppError if the attempt is not allowed
   */
  admit?(attempt: ChannelAttempt, measureSec?: () => Promise<number>): Promise<AttemptAdmission>;
};

export type AttemptAdmission = {
  /** The price depends on the duration of the audio. */
  needsAudioSec: boolean;
};

/** An attempt at a channel. A provider may charge for it even if its response was not awaited. */
export type ChannelAttempt = {
  channel: string;
  model: string;
  isPaid: boolean;
  /** It failed before its response began, and costs nothing. */
  hasFailed: boolean;
  /** Duration of the audio that was sent or generated, as measured here. */
  mediaSec?: number;
  /** Seconds that the provider processed, if it did not process the whole file exactly once. */
  processedSec?: number;
};
