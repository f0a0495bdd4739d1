// The microphone as 16 kHz samples: asks for it, runs the worklet, hands blocks on as they come. Where they go is
// recorder.ts's matter.

// oxlint-disable-next-line import/default -- the bundler makes the default export: the worklet's address.
import workletUrl from './capture-worklet.ts?worker&url';

export type Microphone = {
  pause(): void;
  resume(): void;
  /** The blocks that are on their way still come before this resolves. */
  close(): Promise<void>;
};

export type MicrophoneEvents = {
  /** 16 kHz mono; `peak` is the loudest value of the block, 0 to 1. */
  onBlock(samples: Int16Array, peak: number): void;
  /** It was unplugged or taken away. */
  onLost(): void;
};

/** Why there is no microphone: the person or the system refused, there is none, or something else uses it. */
export type MicrophoneTrouble = 'refused' | 'missing' | 'busy';

export function troubleOf(error: unknown): MicrophoneTrouble {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  return name === 'NotFoundError' || name === 'OverconstrainedError' ? 'missing' : 'busy';
}

/** Throws the browser's own DOMException where there is no microphone to be had; see `troubleOf`. */
export async function openMicrophone({ onBlock, onLost }: MicrophoneEvents): Promise<Microphone> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: true } });
  const context = new AudioContext();
  const stop = async (): Promise<void> => {
    for (const track of stream.getTracks()) track.stop();
    await context.close();
  };
  try {
    await context.audioWorklet.addModule(workletUrl);
    await context.resume();
  } catch (error) {
    await stop();
    throw error;
  }
  const node = new AudioWorkletNode(context, 'hearsay-capture', { numberOfOutputs: 0 });
  const ended = Promise.withResolvers<void>();
  node.port.addEventListener('message', ({ data }: MessageEvent<'ended' | { samples: Int16Array; peak: number }>) => {
    if (data === 'ended') ended.resolve();
    else onBlock(data.samples, data.peak);
  });
  node.port.start();
  context.createMediaStreamSource(stream).connect(node);
  for (const track of stream.getTracks()) track.addEventListener('ended', onLost);
  const tell = (what: 'pause' | 'resume' | 'end'): void => node.port.postMessage(what, []);
  return {
    pause: () => tell('pause'),
    resume: () => tell('resume'),
    async close() {
      tell('end');
      await ended.promise;
      await stop();
    },
  };
}
